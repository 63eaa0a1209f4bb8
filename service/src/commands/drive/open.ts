import { Argument } from 'commander';
import type { AddDriveCommand } from '../instance/drive-context.ts';
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
    const query = page === 'phone' && scope !== null ? `?scope=${scope}` : '';
    const url = origin + (PAGES[page] ?? '/') + query;
    print({ url }, () => `${url}\n`);
    context.openBrowser(url);
  });
};

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
    const address = phone === '' ? `${origin}/simulator/phone` : phone;
    print(data, () => `${address}${query}#code=${code}\n`);
  });
};
