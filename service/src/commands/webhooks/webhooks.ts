import type { Command } from 'commander';
import type { Store, WaitingDeliveries } from '../../store/ports/store.port.ts';
import { isoTimestamp, type Ms } from '../../values/time.ts';
import { type Delivery, MOST_WAITING, triedWords } from '../../webhooks/webhook.ts';
import { counted } from '../ended-words.ts';
import type { AddCommand, CommandContext, ListedReceiver } from '../command-context.ts';
import { jsonWithoutControls } from '../instance/without-controls.ts';

/** What is listed of what was given up; the number of it is in the metrics. */
const MOST_LISTED = 1000;
const SECRET_BYTES = 32;

interface ListOptions {
  readonly client?: string;
  readonly json?: true;
}

interface ReplayOptions {
  readonly all?: true;
  readonly client?: string;
}

/** `miftah webhooks [list | replay | enable | secret]`. */
export const webhooksCommand: AddCommand = (program, context) => {
  const webhooks = program.command('webhooks').description('what back ends of clients are told');
  webhooks
    .command('list', { isDefault: true })
    .option('--client <id>', 'of one application')
    .option('--json', 'one JSON object a line')
    .description('the receivers, what waits for them, and what was given up')
    .action(({ client = null, json }: Omit<ListOptions, 'client'> & { client?: string | null }) =>
      context.withStore(async (store) => {
        const lines = [
          ...(await receiverLines(store, await context.receivers(), client)),
          ...(await store.outbox.givenUp(client, MOST_LISTED)).map(givenUpLine),
        ];
        for (const { text, ...line } of lines) {
          context.print(json === true ? jsonWithoutControls(line) : text);
        }
        if (lines.length > 0) return;
        context.print('No client has a receiver, and nothing waits or was given up.');
      }),
    );
  addReplay(webhooks, context);
  addEnable(webhooks, context);
  webhooks
    .command('secret')
    .description('makes a secret, for "secrets" of a receiver in CLIENTS_FILE')
    .action(() => {
      context.print(newWebhookSecret(context));
      context.tell('It is for CLIENTS_FILE and for the receiver, and is not shown again.');
    });
};

export function newWebhookSecret({ random }: Pick<CommandContext, 'random'>): string {
  return `whsec_${Buffer.from(random.bytes(SECRET_BYTES)).toString('base64')}`;
}

/** Due at once, with the id that it had: a receiver that knows the id takes it for a repetition. */
function addReplay(webhooks: Command, context: CommandContext): void {
  webhooks
    .command('replay')
    .argument('[id]', 'as the list has it')
    .option('--all', 'all that was given up, of one application')
    .option('--client <id>', 'with --all: the application')
    .description('sends again what was given up')
    .action(async (deliveryId: string | undefined, options: ReplayOptions) => {
      const which = whichOf(deliveryId, options);
      if (which === null) return context.misuse('Say an id, or --all --client ID.');
      const listed = await context.receivers();
      await context.withStore(async (store, at) => {
        const off = new Set((await store.outbox.switchedOff()).map(({ receiver }) => receiver));
        const receivers = listed.map((one) => one.receiver).filter((id) => !off.has(id));
        const count = await replayAll(store.outbox, which, { receivers, at, limit: PIECE });
        const of = 'client' in which ? { client: which.client } : {};
        if (count > 0) {
          await store.recordEvent({ at, action: 'webhooks.replayed', count, ...of });
          context.print(`${counted(count, 'webhook')} will be sent again.`);
        }
        const left =
          'client' in which ? await store.outbox.givenUpOfNone(which.client, receivers) : 0;
        if (left > 0) context.print(`${counted(left, 'other')} ${NO_RECEIVER}`);
        if (count === 0 && left === 0) context.fail(await whyNone(store.outbox, which, listed));
      });
    });
}

/** Rows of one transaction: a sign-in waits for no more of them. */
const PIECE = 500;
const NO_SUCH_RECEIVER = 'There is no such receiver: `miftah webhooks` lists them.';
const NO_RECEIVER =
  'can’t be: their receiver is no more in CLIENTS_FILE, has another "url" now, or is switched off.';
const NOTHING = 'Nothing like that was given up: `miftah webhooks` lists what was.';

/** Why a replay finds nothing to send. @param receivers those of CLIENTS_FILE */
async function whyNone(
  outbox: Store['outbox'],
  which: Which,
  receivers: readonly ListedReceiver[],
): Promise<string> {
  if ('client' in which) return unknownClient(which.client, receivers) ?? NOTHING;
  const { deliveryId } = which;
  const listed = await outbox.givenUp(null, MOST_LISTED);
  const found = listed.find((one) => one.deliveryId === deliveryId);
  // What is older than those that are listed may be there too.
  if (found === undefined) return listed.length < MOST_LISTED ? NOTHING : UNKNOWN;
  const { receiver, client } = found;
  return receivers.some((one) => one.receiver === receiver)
    ? `Its receiver is switched off: \`miftah webhooks enable ${receiver}\` comes first.`
    : `Its receiver is no more in CLIENTS_FILE, or has another "url" at ${client} now.`;
}

/** Null for a client that has a receiver. */
function unknownClient(client: string, receivers: readonly ListedReceiver[]): string | null {
  const known = [...new Set(receivers.map((one) => one.client))];
  if (known.includes(client)) return null;
  const others = known.length === 0 ? 'None has one.' : `There are ${known.join(', ')}.`;
  return `No client ${client} has a receiver in CLIENTS_FILE. ${others}`;
}

const UNKNOWN =
  'Nothing like that was given up, or its receiver is no more in CLIENTS_FILE, or is switched off.';

async function replayAll(
  outbox: Store['outbox'],
  which: Which,
  how: { readonly receivers: readonly string[]; readonly at: Ms; readonly limit: number },
): Promise<number> {
  for (let total = 0; ;) {
    const count = await outbox.replay(which, how);
    total += count;
    if (count < how.limit) return total;
  }
}

type Which = { readonly client: string } | { readonly deliveryId: string };

function whichOf(deliveryId: string | undefined, { all, client }: ReplayOptions): Which | null {
  if (deliveryId !== undefined) return (all ?? client) === undefined ? { deliveryId } : null;
  return all === undefined || client === undefined ? null : { client };
}

function addEnable(webhooks: Command, context: CommandContext): void {
  webhooks
    .command('enable')
    .argument('<receiver>', 'as the list has it')
    .description('switches a receiver on again that has answered 410')
    .action((receiver: string) =>
      context.withStore(async (store, at) => {
        const list = await store.outbox.switchedOff();
        const off = list.find((one) => one.receiver === receiver);
        if (off === undefined || !(await store.outbox.switchOn(receiver))) {
          const known = (await context.receivers()).some((one) => one.receiver === receiver);
          return context.fail(known ? 'It is not switched off.' : NO_SUCH_RECEIVER);
        }
        const { client } = off;
        await store.recordEvent({ at, action: 'webhooks.switched_on', client });
        context.print(`${receiver} of ${client} is told again of what happens from now on.`);
        context.print(
          `\`miftah webhooks replay --all --client ${client}\` sends what was given up.`,
        );
      }),
    );
}

interface Line {
  readonly text: string;
  readonly [member: string]: unknown;
}

async function receiverLines(
  { outbox }: Store,
  receivers: readonly ListedReceiver[],
  only: string | null,
): Promise<Line[]> {
  const [waiting, off] = await Promise.all([outbox.waiting(MOST_WAITING), outbox.switchedOff()]);
  const isMeant = ({ client }: { readonly client: string }) => only === null || client === only;
  const lines = receivers.filter(isMeant).map(async ({ client, receiver, host }) => {
    const { count = 0, oldestAt = null } = waiting.find((one) => one.receiver === receiver) ?? {};
    const offSince = off.find((one) => one.receiver === receiver)?.at ?? null;
    const state = offSince === null ? 'on' : `off since ${isoTimestamp(offSince)}`;
    const waits = oldestAt === null ? '' : `, the oldest since ${isoTimestamp(oldestAt)}`;
    const tried = await outbox.oldestTried(receiver);
    const says = tried === null ? '' : `, ${triedWords(tried)}`;
    return {
      text: `${client}  ${receiver}  ${host}  ${state}  ${count} waiting${waits}${says}`,
      client,
      receiver,
      host,
      off_since: stamp(offSince),
      waiting: count,
      oldest: stamp(oldestAt),
      answer: tried?.answer ?? null,
      tries: tried?.tries ?? 0,
    };
  });
  const known = new Set(receivers.map(({ receiver }) => receiver));
  const left = waiting.filter((one) => isMeant(one) && !known.has(one.receiver)).map(leftLine);
  return [...(await Promise.all(lines)), ...left];
}

/** Of a receiver that was taken out of the file, or has another address now. */
function leftLine({ client, receiver, count, oldestAt }: WaitingDeliveries): Line {
  const since = isoTimestamp(oldestAt);
  const goes = 'sent to nobody, and given up after 24 hours';
  return {
    text: `${client}  ${receiver}  not in CLIENTS_FILE  ${count} waiting since ${since}, ${goes}`,
    client,
    receiver,
    host: null,
    off_since: null,
    waiting: count,
    oldest: since,
    answer: null,
    tries: 0,
  };
}

const stamp = (at: Ms | null) => (at === null ? null : isoTimestamp(at));

function givenUpLine({ deliveryId, client, event, at, endedAt, answer }: Delivery): Line {
  const why = answer ?? 'never tried';
  const ended = isoTimestamp(endedAt ?? at);
  return {
    text: `given up  ${client}  ${deliveryId}  ${event}  ${ended}  ${why}`,
    given_up: deliveryId,
    client,
    type: event,
    timestamp: isoTimestamp(at),
    ended,
    answer: why,
  };
}
