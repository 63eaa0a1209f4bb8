import { InvalidArgumentError } from 'commander';
import type { HeardWebhook, HeardWebhooks } from '@miftah/contract/control';
import { codeOfFailure } from '@miftah/contract/control-client';
import { nearestOf } from '@miftah/schema/nearest';
import type { AddDriveCommand } from '../instance/drive-context.ts';
import {
  DriveFailure,
  EXIT_INTERRUPTED,
  EXIT_UNREACHED,
  interrupted,
} from '../instance/failure.ts';
import { pause } from '../instance/pause.ts';
import { driveCommand, onRun, type Session } from '../instance/session.ts';
import { withoutControls } from '../instance/without-controls.ts';
import { SECOND_MS } from '../../values/time.ts';
import { painted } from './table.ts';

/** The longest wait of one call. */
const LONGEST_WAIT_SECONDS = 30;
/** As long as the service waits for a receiver. */
const ANSWER_MS = 3 * SECOND_MS;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

interface ListenOptions {
  readonly forwardTo?: URL;
  readonly client?: string;
  readonly print?: true;
  readonly for?: number;
}

/** `miftah listen`: what applications are told, as it happens, for whoever develops one. */
export const listenCommand: AddDriveCommand = (program, context) => {
  const listen = driveCommand(
    program,
    'listen',
    'shows webhooks of the simulation as they are sent, and forwards them',
  )
    .option(
      '--forward-to <address>',
      'a receiver on this machine: http://127.0.0.1:8080/hook',
      readAddress,
    )
    .option('--client <id>', 'of one application')
    .option('--print', 'with headers and body')
    .option('--for <seconds>', 'ends by itself', readSeconds);
  onRun(listen, context, async (session, options: ListenOptions) => {
    try {
      await follow(session, options);
    } catch (error) {
      // It has no end of its own, so Ctrl-C is a good one.
      if (!(error instanceof DriveFailure) || error.exitCode !== EXIT_INTERRUPTED) throw error;
    }
  });
};

async function follow(session: Session, options: ListenOptions): Promise<void> {
  const { control, context } = session;
  const { for: all = Infinity, forwardTo } = options;
  const until = context.clock.now() + all * SECOND_MS;
  // What was before is not sent again.
  const begun = await control.call('listWebhooks', { query: { timeout: '0' } });
  requireClient(options.client, begun.clients);
  let { cursor } = begun;
  const where = forwardTo === undefined ? '' : `, and forwards to ${forwardTo.href}`;
  session.note(`Listens to ${session.instance.origin}${where}. Ctrl-C ends it.`);
  for (;;) {
    const left = Math.ceil((until - context.clock.now()) / SECOND_MS);
    if (left <= 0) return;
    const timeout = String(Math.min(left, LONGEST_WAIT_SECONDS));
    const heard = await ask(session, { after: cursor, timeout });
    for (const webhook of heard.webhooks) await show(session, webhook, options);
    ({ cursor } = heard);
  }
}

/** Of a client that is not there nothing would ever come. @throws DriveFailure */
function requireClient(id: string | undefined, known: HeardWebhooks['clients']): void {
  if (id === undefined || known === undefined || known.includes(id)) return;
  const near = nearestOf(id, known);
  const shown = known.slice(0, MOST_CLIENTS);
  const others = known.length > shown.length ? ['others'] : [];
  const listed = LIST.format([...shown, ...others]);
  throw new DriveFailure({
    code: 'command.unknown_client',
    message: `No client has the id ${id}.`,
    remedy: near === undefined ? `Those that are there: ${listed}.` : `Did you mean ${near}?`,
  });
}

const MOST_CLIENTS = 10;
const LIST = new Intl.ListFormat('en');

/** While it is developed, an instance is often started anew. @throws DriveFailure */
async function ask(
  session: Session,
  query: { readonly after: string; readonly timeout: string },
): Promise<HeardWebhooks> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await session.control.call('listWebhooks', { query });
    } catch (error) {
      if (!(error instanceof DriveFailure) || error.exitCode !== EXIT_UNREACHED) throw error;
      if (tries === 0) session.note('The instance has ended: waits until it answers again.');
      await pause(session, SECOND_MS);
    }
  }
}

async function show(
  session: Session,
  webhook: HeardWebhook,
  { forwardTo, client, print: isWhole }: ListenOptions,
): Promise<void> {
  if (client !== undefined && webhook.client !== client) return;
  const answer = forwardTo === undefined ? null : await forward(session, webhook, forwardTo);
  const { headers, body, ...row } = webhook;
  const { out } = session.context;
  session.print(isWhole === true ? { ...webhook, answer } : { ...row, answer }, () => {
    const { attempt_id: attemptId, user_id: userId, reason = '' } = row.data;
    const isTaken = /^2\d\d$/.test(answer ?? '200');
    const words = [row.client, row.type, attemptId ?? userId, reason].map(String);
    const shown = answer === null ? [] : [painted(isTaken ? 'green' : 'red', answer, out)];
    const line = [...words.filter((one) => one !== '').map(withoutControls), ...shown].join('  ');
    if (isWhole !== true) return `${line}\n`;
    const sent = Object.entries(headers).map((header) => withoutControls(header.join(': ')));
    return `${[line, ...sent, '', withoutControls(body)].join('\n')}\n\n`;
  });
}

/** @returns the status of the answer, or why there was none. @throws DriveFailure at Ctrl-C */
async function forward(
  { context: { fetch, stop } }: Session,
  { headers, body }: HeardWebhook,
  to: URL,
): Promise<string> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]);
  try {
    // As the service does, it follows no redirect.
    const answer = await fetch(to, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await answer.body?.cancel();
    return String(answer.status);
  } catch (error) {
    if (stop.aborted) throw interrupted();
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    return isLate ? 'no answer in 3 s' : `no answer (${codeOfFailure(error) || 'no connection'})`;
  }
}

/** Whoever reads what is forwarded has its signature too. */
function readAddress(text: string): URL {
  const address = URL.parse(text);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new InvalidArgumentError('It is an address such as http://127.0.0.1:8080/hook.');
  }
  if (!LOOPBACK.test(address.hostname)) {
    throw new InvalidArgumentError(
      'It is an address of this machine (127.0.0.1, [::1] or localhost): other receivers belong into ' +
        '"webhooks" of CLIENTS_FILE.',
    );
  }
  if (address.username + address.password === '') return address;
  throw new InvalidArgumentError(
    'It has no user and no password: the signature says who sends it.',
  );
}

function readSeconds(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a number of seconds.');
}
