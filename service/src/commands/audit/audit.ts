import type { Command } from 'commander';
import type { AttemptId } from '../../values/ids.ts';
import type { AuditRow } from '../../audit/audit.ts';
import type { KeptHead } from '../../audit/audit-head.ts';
import { wordsOfBroken } from '../../audit/broken-audit.ts';
import { inPages } from '../../values/pages.ts';
import { isoTimestamp, type Ms } from '../../values/time.ts';
import {
  readAttemptId,
  readCount,
  readUserId,
  recordSuccess,
  type AuditReader,
  type HeadFile,
  type CommandContext,
} from '../command-context.ts';
import { filterOf, type AuditFilter } from '../../audit/filter.ts';
import { readActions, readTime } from './filter.ts';
import { follow, type FollowNeeds } from './follow.ts';
import { lineOf, ROWS_AT_ONCE, type Form } from './line.ts';

interface Options extends AuditFilter, Form {
  readonly verify?: true;
  readonly record?: true;
  readonly after: number;
  readonly attempt?: AttemptId;
  readonly follow?: true;
  readonly cursor?: string;
}

/** `miftah audit`, and `miftah audit --verify`. */
export function auditCommand(program: Command, context: Needs): void {
  program
    .command('audit')
    .description('what has happened that matters for security, oldest first')
    .option(
      '--verify',
      'whether every row is as it was written and none is missing, as far as the store and ' +
        'AUDIT_HEAD_FILE can tell; it says what is not proved',
    )
    .option('--record', 'with --verify: if all is well, writes into the log that it was verified')
    .option('--after <sequence>', 'rows after this one', readCount, 0)
    .option('--attempt <attempt_id>', 'rows of one attempt', readAttemptId)
    .option(
      '--action <names>',
      'rows of these actions: token.issued, or token. for all of them',
      readActions,
    )
    .option('--client <id>', 'rows that name this application')
    .option('--user <id>', 'rows that name this user', readUserId)
    .option(
      '--actor <who>',
      'rows of this operator: an account (amal, uid:1001), or operator:SUBJECT',
    )
    .option(
      '--since <time>',
      'rows from this time on: 2026-01-31T09:00:00Z, or 12h for so long ago',
      readTime,
    )
    .option('--until <time>', 'rows before this time', readTime)
    .option('--follow', 'goes on with what is written from now on, until it is stopped')
    .option('--cursor <file>', 'begins after the last row that it printed with the same file')
    .option('--json', 'one JSON object a line')
    .option('--ecs', 'the same with the fields of the Elastic Common Schema')
    .action(async (options: Options) => {
      if (options.verify === true) return verifyAndRecord(context, options);
      if (options.record === true) return context.misuse('--record belongs to --verify.');
      const isFollowing = options.follow === true || options.cursor !== undefined;
      if (!isFollowing) {
        return context.withLog((log, now) => show(log, context, { ...options, now }));
      }
      if (options.attempt !== undefined) return context.misuse(ONE_ATTEMPT);
      await follow(context, options);
    });
}

const ONE_ATTEMPT = 'Leave out --attempt: --follow and --cursor read every row.';

type Needs = FollowNeeds &
  Pick<CommandContext, 'print' | 'misuse' | 'storePlace' | 'headFile' | 'withStore'>;

async function verifyAndRecord(context: Needs, { record }: Options): Promise<void> {
  let isWell = false;
  await context.withLog(async (log) => {
    isWell = await verify(log, context);
  });
  if (isWell && record === true) await recordSuccess(context, 'verify');
}

/** @returns whether nothing is wrong */
async function verify(log: AuditReader, context: Needs): Promise<boolean> {
  const fail = (what: string) => {
    context.fail(what);
    return false;
  };
  // Read first: while the service runs, the file would soon be ahead of the rows that were verified.
  const kept = await context.headFile();
  const head = kept?.read() ?? null;
  const verdict = await log.verifyAudit();
  if (!verdict.ok) return fail(wordsOfBroken(verdict));
  if (await log.isBehind()) return fail(BEHIND);
  if (kept !== null && head === null) return fail(`${kept.path} is not there.`);
  if (kept !== null && head !== null && !(await log.knowsHead(head))) {
    const was = `row ${head.count} on ${isoTimestamp(head.at)}`;
    return fail(`The log is cut off, or older than ${kept.path}: that has seen ${was}.`);
  }
  context.print(`The store in ${await context.storePlace()}:`);
  const which =
    verdict.givenUp === undefined ? 'Every row' : `Every row from ${verdict.givenUp + 1} on`;
  context.print(`The log ends with row ${verdict.count}. ${which} is as it was written, and every`);
  context.print('token and every ended attempt in the store has its row. The last hash is');
  context.print(verdict.head);
  if (verdict.givenUp !== undefined) {
    context.print(
      `Up to row ${verdict.givenUp} no key proves them: theirs was given up (people.forgotten).`,
    );
  }
  context.print(provenBy(kept, head));
  return true;
}

const BEHIND =
  'An instance has seen a later end of the log than the database has (store.behind): run ' +
  '`miftah restore --database NAME` once, while all instances are stopped.';

/** What the verification could not prove about the end of the log. */
function provenBy(kept: HeadFile | null, head: KeptHead | null): string {
  if (kept === null || head === null) {
    return (
      'Not proved, because no AUDIT_HEAD_FILE is set: that no later rows were cut off together ' +
      'with the data that they describe, and that the whole store is not an older one. Keep the hash.'
    );
  }
  return (
    `The log reaches row ${head.count}, as ${kept.path} had it on ${isoTimestamp(head.at)}. Not proved: ` +
    'that no rows since then were cut off together with the data that they describe.'
  );
}

async function show(
  log: AuditReader,
  { print }: Needs,
  { after, attempt, now, ...options }: Options & { readonly now: Ms },
): Promise<void> {
  const only = attempt === undefined ? {} : { attemptId: attempt };
  const read = (from: number) => log.readAudit({ after: from, limit: ROWS_AT_ONCE, ...only });
  const pages = { size: ROWS_AT_ONCE, placeOf: ({ sequence }: AuditRow) => sequence };
  const isWanted = filterOf(options, now);
  for await (const rows of inPages(read, after, pages)) {
    for (const row of rows.filter(isWanted)) print(lineOf(row, options));
  }
}
