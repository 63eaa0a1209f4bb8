import { type Command, InvalidArgumentError } from 'commander';
import type { CountedDeliveries, Store, WaitingDeliveries } from '../../store/ports/store.port.ts';
import { isoTimestamp, type Ms } from '../../values/time.ts';
import { type Delivery, MOST_WAITING, sumOf, triedWords } from '../../webhooks/webhook.ts';
import { counted } from '../ended-words.ts';
import type { AddCommand, CommandContext, ListedReceiver } from '../command-context.ts';
import { givenReason, REASON, type ReasonOptions } from '../reason.ts';
import { jsonWithoutControls } from '../instance/without-controls.ts';

/** What is listed of what was given up, at most and where nobody says how many. */
const MOST_LISTED = 1000;
const USUALLY_LISTED = 20;
const SECRET_BYTES = 32;

interface ListOptions {
  readonly client?: string | null;
  readonly json?: true;
  readonly limit?: number;
}

interface ReplayOptions extends ReasonOptions {
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
    .option(
      '--limit <count>',
      `of what was given up, 1 to ${MOST_LISTED} (${USUALLY_LISTED}, with --json ${MOST_LISTED})`,
      readLimit,
    )
    .action(({ client: only = null, json, limit }: ListOptions) =>
      context.withStore(async (store) => {
        const lost = await store.outbox.givenUpCounts();
        const most = limit ?? (json === true ? MOST_LISTED : USUALLY_LISTED);
        const shown = await store.outbox.givenUp(only, most);
        const receivers = await receiverLines(store, await context.receivers(), { only, lost });
        const lines = [...receivers, ...shown.map(givenUpLine)];
        for (const { text, ...line } of lines) {
          context.print(json === true ? jsonWithoutControls(line) : text);
        }
        if (lines.length === 0) {
          context.print('No client has a receiver, and nothing waits or was given up.');
        }
        const total = sumOf(lost.filter(({ client }) => only === null || client === only));
        if (total > shown.length) {
          context.tell(
            `${shown.length} of the ${total} that were given up are listed, the last ones first.`,
          );
        }
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

function readLimit(text: string): number {
  const count = Number(text);
  if (/^[1-9]\d{0,3}$/.test(text) && count <= MOST_LISTED) return count;
  throw new InvalidArgumentError(`It is a number from 1 to ${MOST_LISTED}.`);
}

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
    .option(...REASON)
    .description('sends again what was given up')
    .action(async (deliveryId: string | undefined, options: ReplayOptions) => {
      const which = whichOf(deliveryId, options);
      if (which === null) return context.misuse('Say an id, or --all --client ID.');
      const reason = givenReason(context, options);
      if (reason === undefined) return;
      const listed = await context.receivers();
      await context.withStore(async (store, at) => {
        const off = new Set((await store.outbox.switchedOff()).map(({ receiver }) => receiver));
        const receivers = listed.map((one) => one.receiver).filter((id) => !off.has(id));
        const isAll = 'client' in which;
        const found = isAll ? null : await store.outbox.givenUpOne(which.deliveryId);
        const count = await replayAll(store.outbox, which, { receivers, at, limit: PIECE });
        if (count > 0) {
          await store.recordEvent({
            at,
            action: 'webhooks.replayed',
            count,
            ...(isAll ? which : aboutOf(found)),
          });
          context.print(`${counted(count, 'webhook')} will be sent again.`);
        }
        const left = isAll ? await leftOf(store.outbox, which.client, receivers) : 0;
        if (left > 0) {
          const others = counted(left, count > 0 ? 'other' : 'webhook');
          if (count > 0) context.print(`${others} ${NO_RECEIVER}`);
          else context.fail(`None is sent again: ${others} ${NO_RECEIVER}`);
        } else if (count === 0) {
          const why = isAll ? unknownClient(which.client, listed) : whyNone(found, listed);
          context.fail(why ?? NOTHING);
        }
      }, reason);
    });
}

/** Rows of one transaction: a sign-in waits for no more of them. */
const PIECE = 500;
const NO_SUCH_RECEIVER = 'There is no such receiver: `miftah webhooks` lists them.';
const NO_RECEIVER =
  'can’t be: their receiver is no more in CLIENTS_FILE, has another "url" now, or is switched off.';
const NOTHING = 'Nothing like that was given up: `miftah webhooks` lists what was.';

/** For the audit log. */
function aboutOf(found: Delivery | null) {
  if (found === null) return {};
  const { client, attemptId, userId } = found;
  return { client, ...(attemptId === null ? { userId } : { attemptId }) };
}

/** How many of a client stay given up. @param receivers those that are told */
async function leftOf(
  outbox: Store['outbox'],
  client: string,
  receivers: readonly string[],
): Promise<number> {
  const counts = await outbox.givenUpCounts();
  return sumOf(counts.filter((one) => one.client === client && !receivers.includes(one.receiver)));
}

/** Why one is not sent again. @param listed those of CLIENTS_FILE */
function whyNone(found: Delivery | null, listed: readonly ListedReceiver[]): string {
  if (found === null) return NOTHING;
  const { receiver, client } = found;
  return listed.some((one) => one.receiver === receiver)
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
    .option(...REASON)
    .action(async (receiver: string, options: ReasonOptions) => {
      const reason = givenReason(context, options);
      if (reason === undefined) return;
      await context.withStore(async (store, at) => {
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
      }, reason);
    });
}

interface Line {
  readonly text: string;
  readonly [member: string]: unknown;
}

async function receiverLines(
  { outbox }: Store,
  receivers: readonly ListedReceiver[],
  { only, lost }: { readonly only: string | null; readonly lost: readonly CountedDeliveries[] },
): Promise<Line[]> {
  const [waiting, off] = await Promise.all([outbox.waiting(MOST_WAITING), outbox.switchedOff()]);
  const isMeant = ({ client }: { readonly client: string }) => only === null || client === only;
  const lostOf = (receiver: string) => lost.find((one) => one.receiver === receiver)?.count ?? 0;
  const lines = receivers.filter(isMeant).map(async ({ client, receiver, host }) => {
    const { count = 0, oldestAt = null } = waiting.find((one) => one.receiver === receiver) ?? {};
    const offSince = off.find((one) => one.receiver === receiver)?.at ?? null;
    const state = offSince === null ? 'on' : `off since ${isoTimestamp(offSince)}`;
    const waits = oldestAt === null ? '' : `, the oldest since ${isoTimestamp(oldestAt)}`;
    const tried = await outbox.oldestTried(receiver);
    const says = tried === null ? '' : `, ${triedWords(tried)}`;
    const gone = lostWords(lostOf(receiver));
    return {
      text: `${client}  ${receiver}  ${host}  ${state}  ${count} waiting${waits}${says}${gone}`,
      client,
      receiver,
      host,
      off_since: stamp(offSince),
      waiting: count,
      oldest: stamp(oldestAt),
      answer: tried?.answer ?? null,
      tries: tried?.tries ?? 0,
      given_up_count: lostOf(receiver),
    };
  });
  const known = new Set(receivers.map(({ receiver }) => receiver));
  const old = [...waiting, ...lost].filter((one) => isMeant(one) && !known.has(one.receiver));
  const left = new Map(old.map(({ receiver, client }) => [receiver, client]));
  return [
    ...(await Promise.all(lines)),
    ...[...left].map(([receiver, client]) => {
      const waits = waiting.find((one) => one.receiver === receiver) ?? null;
      return leftLine({ receiver, client }, waits, lostOf(receiver));
    }),
  ];
}

const lostWords = (count: number) => (count === 0 ? '' : `, ${count} given up`);

/** Of a receiver that was taken out of the file, or has another address now. */
function leftLine(
  { client, receiver }: Pick<WaitingDeliveries, 'client' | 'receiver'>,
  waits: WaitingDeliveries | null,
  lost: number,
): Line {
  const count = waits?.count ?? 0;
  const oldest = stamp(waits?.oldestAt ?? null);
  const goes = `${count} waiting since ${oldest}, sent to nobody, and given up after 24 hours`;
  const state = `${oldest === null ? '0 waiting' : goes}${lostWords(lost)}`;
  return {
    text: `${client}  ${receiver}  not in CLIENTS_FILE  ${state}`,
    client,
    receiver,
    host: null,
    off_since: null,
    waiting: count,
    oldest,
    answer: null,
    tries: 0,
    given_up_count: lost,
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
