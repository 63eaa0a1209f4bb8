import { isEmptyHead } from '../audit/audit-head.ts';
import type { AddCommand, CommandContext, NewHead } from './command-context.ts';
import { counted, unwrittenHead } from './ended-words.ts';

/** Users per transaction, limited because other writes wait meanwhile. */
const USERS_AT_ONCE = 200;

/** Of the OpenID Provider. The longest are its signing keys. */
const RECORDS_AT_ONCE = 200;

/** `miftah keys rotate`. */
export const keysCommand: AddCommand = (program, context) => {
  const keys = program.command('keys').description('what identities are sealed with');
  keys
    .command('rotate')
    .description('seals under SECRET_KEY what is still sealed under RETIRED_SECRET_KEYS')
    .action(() =>
      context.withStore(async (store, now) => {
        let sealed = 0;
        for (let found = 1; found > 0; sealed += found) {
          found = await store.rotateKeys(USERS_AT_ONCE, now);
        }
        for (let found = 1; found > 0;) found = await store.resealOpenid(RECORDS_AT_ONCE);
        const keptOut = await store.countKeptOutBefore();
        for (const line of whatWasSealed(sealed, keptOut)) context.print(line);
      }),
    );
  keys
    .command('abandon')
    .description('gives up everybody whose key is lost: their tokens end, and they begin anew')
    .option('--yes', 'do it')
    .action(({ yes = false }: { yes?: boolean }) =>
      context.withLostStore(async (store, now, alone) => {
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
      }),
    );
};

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
    'Take that key out of RETIRED_SECRET_KEYS when every attempt of before has ended, and keep it:',
    '`miftah audit --verify` and `miftah doctor` need it for the audit log from its time. With',
    'RETENTION_AUDIT leave it there until the rows from its time are gone.',
  ];
  if (keptOut === 0) return all;
  return [
    ...all,
    `But ${counted(keptOut, 'erased person is', 'erased people are')} kept out under an earlier key.`,
    'Nothing else is known of them, so whoever of them comes back after it is gone is let in.',
  ];
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
