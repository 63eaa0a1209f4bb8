import { Argument } from 'commander';
import type { AddDriveCommand } from '../instance/drive-context.ts';
import { withoutSimulator } from '../instance/control.ts';
import { interrupted, unreached } from '../instance/failure.ts';
import { rowOf, textOf } from '../instance/rows.ts';
import { onRun, driveCommand } from '../instance/session.ts';

const PAGES: Readonly<Record<string, string>> = {
  home: '/',
  docs: '/docs',
  console: '/console',
  phone: '/simulator/phone',
};

/** Whoever writes `miftah console` means the page. @param text what is said of a wrong command */
export function withPageMeant(text: string): string {
  const [said, name = ''] = /^error: unknown command '(\w+)'\n/.exec(text) ?? [];
  return Object.hasOwn(PAGES, name) ? `${said}(Did you mean open ${name}?)\n` : text;
}

/** `miftah open`: the pages of an instance. */
export const openCommand: AddDriveCommand = (program, context) => {
  const open = driveCommand(
    program,
    'open',
    'opens a page of the instance in the browser',
  ).addArgument(new Argument('[page]', 'which').choices(Object.keys(PAGES)).default('home'));
  onRun(open, context, async ({ instance: { origin, scope }, print }, page: string) => {
    const { stop } = context;
    const answer = await context
      .fetch(`${origin}/livez`, { signal: stop, redirect: 'manual' })
      .catch((error: unknown) => {
        throw stop.aborted ? interrupted() : unreached(origin, error);
      });
    if (!answer.ok) throw unreached(origin, null);
    requirePages(answer.headers.get('x-auth-mode'), page);
    const query = page === 'phone' && scope !== null ? `?scope=${scope}` : '';
    const url = origin + (PAGES[page] ?? '/') + query;
    print({ url }, () => `${url}\n`);
    context.openBrowser(url);
  });
};

/** The service of a rehearsal is a live one. @throws DriveFailure */
function requirePages(mode: string | null, page: string): void {
  if (mode !== 'live' && mode !== 'rehearsal') return;
  if (mode === 'live') {
    throw withoutSimulator(
      'Name an instance in simulator mode with --url or MIFTAH_URL.',
      'This service runs in live mode, and a live service has none of these pages.',
    );
  }
  throw withoutSimulator(
    'The simulator that it calls has console and phone, as in `miftah open ' +
      `${page === 'phone' ? page : 'console'} --url http://127.0.0.1:4000\`, with its address.`,
    'This service is a rehearsal of live mode, which has none of these pages.',
  );
}

/** `miftah session-code`: the address is shown with the code, as a phone needs it. */
export const sessionCodeCommand: AddDriveCommand = (program, context) => {
  const command = driveCommand(
    program,
    'session-code',
    'lets a browser in: an address of the phone that is good once, for two minutes',
  );
  onRun(command, context, async ({ instance: { origin, scope }, control, print }) => {
    const data = await control.call('createSessionCode', { body: {} });
    const [code, phone] = ['code', 'phone_url'].map((name) => textOf(rowOf(data), name));
    const query = scope === null ? '' : `?scope=${scope}`;
    const url = `${phone === '' ? `${origin}/simulator/phone` : phone}${query}#code=${code}`;
    print({ ...rowOf(data), url }, () => `${url}\n`);
  });
};
