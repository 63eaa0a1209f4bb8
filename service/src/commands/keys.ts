import {
  knownFrom,
  parseSigningKeys,
  rotated,
  settledFrom,
  SIGNING_KEYS,
} from '../account/openid-keys.ts';
import { isEmptyHead } from '../audit/audit-head.ts';
import type { Store } from '../store/ports/store.port.ts';
import type { Twin } from '../store/ports/users.port.ts';
import { isoTimestamp, type Ms } from '../values/time.ts';
import type { AddCommand, CommandContext, NewHead } from './command-context.ts';
import { counted, unwrittenHead } from './ended-words.ts';
import { givenReason, REASON, type ReasonOptions } from './reason.ts';

/** Users per transaction, limited because other writes wait meanwhile. */
const USERS_AT_ONCE = 200;

/** Of the OpenID Provider. The longest are its signing keys. */
const RECORDS_AT_ONCE = 200;

interface AbandonOptions extends ReasonOptions {
  readonly yes?: boolean;
}

interface RotateOptions extends AbandonOptions {
  readonly openid?: boolean;
}

/** `miftah keys rotate`. */
export const keysCommand: AddCommand = (program, context) => {
  const keys = program
    .command('keys')
    .description('what identities are sealed with, and what signs ID tokens');
  keys
    .command('rotate')
    .description('seals under SECRET_KEY what is still sealed under RETIRED_SECRET_KEYS')
    .option('--openid', 'signs ID tokens with the next key, and seals nothing')
    .option('--yes', 'with --openid: also while clients may not know the next key')
    .option(...REASON)
    .action(async ({ openid = false, yes = false, ...options }: RotateOptions) => {
      const reason = givenReason(context, options);
      if (reason === undefined) return;
      await context.withStore(async (store, now) => {
        const writers = await context.writersWithOtherKey();
        if (writers !== '') return context.fail(stillWrites(writers));
        if (openid) return rotateSigning(context, { store, now, isSure: yes });
        await sealAnew(context, store, now);
      }, reason);
    });
  keys
    .command('abandon')
    .description('gives up everybody whose key is lost: their tokens end, and they begin anew')
    .option('--yes', 'do it')
    .option(...REASON)
    .action(async ({ yes = false, ...options }: AbandonOptions) => {
      const reason = givenReason(context, options);
      if (reason === undefined) return;
      await context.withLostStore(async (store, now, alone) => {
        const lost = await store.countLost();
        const isProven = await store.canVerifyAudit();
        if (lost === 0 && isProven) {
          return context.print('Everything can be read: no key is lost.');
        }
        if (!isProven && (await isHeadSigned(context))) return context.fail(CHANGED);
        if (!yes) return context.fail(whatWouldGo(lost));
        const head = await alone(() => store.forgetLost(now));
        for (const line of [...whatWent(lost), ...ofTheLog(head)]) context.print(line);
        if (head.fault !== null) context.fail(unwrittenHead(head.fault));
      }, reason);
    });
};

async function sealAnew(context: CommandContext, store: Store, now: Ms): Promise<void> {
  const twins: Twin[] = [];
  let sealed = 0;
  for (let found = 1; found > 0;) {
    const left = twins.map(({ user }) => user);
    const step = await store.rotateKeys(USERS_AT_ONCE, now, left);
    sealed += step.sealed;
    twins.push(...step.twins);
    found = step.sealed + step.twins.length;
  }
  for (let found = 1; found > 0;) found = await store.resealOpenid(RECORDS_AT_ONCE);
  if (twins.length > 0) {
    context.print(`Sealed ${people(sealed)} anew.`);
    return context.fail(whoIsThereTwice(twins));
  }
  const keptOut = await store.countKeptOutBefore();
  for (const line of whatWasSealed(sealed, keptOut)) context.print(line);
}

interface Rotation {
  readonly store: Store;
  readonly now: Ms;
  readonly isSure: boolean;
}

/** One statement changes all keys, so whoever is killed has changed nothing, or everything. */
async function rotateSigning(context: CommandContext, { store, now, isSure }: Rotation) {
  const kept = await store.findOpenid(SIGNING_KEYS);
  if (kept === null) return context.fail(NO_SIGNING_KEYS);
  const keys = parseSigningKeys(kept.body);
  const known = knownFrom(keys);
  if (now < known && !isSure) return context.fail(notKnown(known));
  if (now < settledFrom(keys)) return context.fail(NOT_SETTLED);
  const to = JSON.stringify(rotated(keys, await context.newSigningKeys(), now));
  const isDone = await store.replaceOpenid({ ...SIGNING_KEYS, from: kept.body, to, at: now });
  if (!isDone) return context.fail('The keys have changed meanwhile. Nothing was done.');
  for (const line of keys.next.length === 0 ? PUBLISHED : ROTATED) context.print(line);
}

const NO_SIGNING_KEYS =
  'There are no signing keys yet: the service makes them when OpenID is first asked for.';

const notKnown = (from: Ms) =>
  `Clients may not know the next key before ${isoTimestamp(from)}. ` +
  'Say --yes to sign with it all the same.';

const NOT_SETTLED =
  'The keys were rotated less than ten seconds ago, and an instance may still sign with those of ' +
  'before. Nothing was done: run this again in ten seconds if it was meant twice.';

const ROTATED = [
  'ID tokens are signed with the next key, by every instance within ten seconds. The key of before',
  'stays published until the next rotation, and so does the key that will be next.',
];

const PUBLISHED = [
  'The next key is published, and nothing is signed with it yet: run this again in a day.',
];

const stillWrites = (writers: string) =>
  `Not every instance writes with this SECRET_KEY yet: ${writers}. Who signs in there would be ` +
  'under the other key again, or become somebody else. Send it SIGHUP, or restart what still has the ' +
  'other key, then run this again. Nothing was done.';

const CHANGED =
  'AUDIT_HEAD_FILE is signed with a key that you have given, and the last row of the audit log is ' +
  'not: no key is lost, somebody has changed the store. Keep a copy of it, and restore a backup.';

/** Whether a given key has signed where the log ended. */
async function isHeadSigned(context: CommandContext): Promise<boolean> {
  const file = await context.headFile();
  try {
    const head = file?.read() ?? null;
    return head !== null && !isEmptyHead(head);
  } catch {
    return false;
  }
}

const people = (count: number) => counted(count, 'person', 'people');

function whatWasSealed(sealed: number, keptOut: number): string[] {
  const all = [
    `Sealed ${people(sealed)} anew. Nobody is under an earlier key any more.`,
    'Leave that key in RETIRED_SECRET_KEYS while the audit log has rows from its time: it alone',
    'proves them, and `miftah audit --verify`, `miftah doctor` and the daily backup need it. Without',
    'RETENTION_AUDIT they stay for good. docs/operations.md#changing-the-secret has the rest.',
  ];
  if (keptOut === 0) return all;
  return [
    ...all,
    `But ${counted(keptOut, 'erased person is', 'erased people are')} kept out under an earlier key.`,
    'Nothing else is known of them, so whoever of them comes back after it is gone is let in.',
  ];
}

const TWINS_NAMED = 20;

/** Their ids alone: whoever reads this needs no number. */
function whoIsThereTwice(twins: readonly Twin[]): string {
  const named = twins.slice(0, TWINS_NAMED).map(({ user, other }) => `${user} and ${other}`);
  const more = twins.length > named.length ? `; and ${twins.length - named.length} more` : '';
  const newer = twins[0] === undefined ? '' : Math.max(twins[0].user, twins[0].other);
  return (
    `Two users each are one person: ${named.join('; ')}${more}. The first of each stays under an ` +
    'earlier key: some service has written without knowing one of the two keys. Decide which of them ' +
    'your applications go on with, erase the other, mostly the newer one ' +
    `(\`miftah user erase ${newer}\`), and run this again.`
  );
}

function whatWouldGo(lost: number): string {
  if (lost > 0) return `${people(lost)} would be given up. Say --yes to do it.`;
  return 'Nobody is sealed under the lost key. Every attempt would be given up. Say --yes to do it.';
}

function ofTheLog({ keptAs, isShared }: NewHead): string[] {
  const kept =
    keptAs === null
      ? []
      : [`AUDIT_HEAD_FILE begins anew. The one of before is ${keptAs}: keep that too.`];
  const others = isShared
    ? ['Every other instance has an AUDIT_HEAD_FILE of its own: move it away before it starts.']
    : [];
  return [
    'The audit log before this moment can no longer be proved: keep a copy of it.',
    ...kept,
    ...others,
  ];
}

function whatWent(lost: number): string[] {
  if (lost > 0) return [`Gave up ${people(lost)}, their tokens, and every attempt.`];
  return [
    'Nobody is sealed under the lost key. Gave up every attempt.',
    'Tokens are still valid; `miftah revoke --all` ends them.',
  ];
}
