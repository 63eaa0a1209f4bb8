import type { Command } from 'commander';
import type { AttemptId } from '../values/ids.ts';
import type { AuditRow } from '../audit/audit.ts';
import type { KeptHead } from '../audit/audit-head.ts';
import { wordsOfBroken } from '../audit/broken-audit.ts';
import { inPages } from '../values/pages.ts';
import { isoTimestamp } from '../values/time.ts';
import {
  readAttemptId,
  readCount,
  type AuditReader,
  type HeadFile,
  type CommandContext,
} from './command-context.ts';
import { jsonWithoutControls } from './instance/without-controls.ts';

const ROWS_AT_ONCE = 500;

interface Options {
  readonly verify?: true;
  readonly json?: true;
  readonly after: number;
  readonly attempt?: AttemptId;
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
    .option('--after <sequence>', 'rows after this one', readCount, 0)
    .option('--attempt <attempt_id>', 'rows of one attempt', readAttemptId)
    .option('--json', 'one JSON object a line')
    .action((options: Options) =>
      context.withLog((log) =>
        options.verify === true ? verify(log, context) : show(log, context, options),
      ),
    );
}

type Needs = Pick<CommandContext, 'print' | 'fail' | 'withLog' | 'storePlace' | 'headFile'>;

async function verify(log: AuditReader, context: Needs): Promise<void> {
  // Read first: while the service runs, the file would soon be ahead of the rows that were verified.
  const kept = await context.headFile();
  const head = kept?.read() ?? null;
  const verdict = await log.verifyAudit();
  if (!verdict.ok) return context.fail(wordsOfBroken(verdict));
  if (await log.isBehind()) return context.fail(BEHIND);
  if (kept !== null && head === null) return context.fail(`${kept.path} is not there.`);
  if (kept !== null && head !== null && !(await log.knowsHead(head))) {
    const was = `row ${head.count} on ${isoTimestamp(head.at)}`;
    return context.fail(`The log is cut off, or older than ${kept.path}: that has seen ${was}.`);
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
  { after, json, attempt }: Options,
): Promise<void> {
  const only = attempt === undefined ? {} : { attemptId: attempt };
  const read = (from: number) => log.readAudit({ after: from, limit: ROWS_AT_ONCE, ...only });
  const pages = { size: ROWS_AT_ONCE, placeOf: ({ sequence }: AuditRow) => sequence };
  for await (const rows of inPages(read, after, pages)) {
    for (const row of rows) print(json === true ? jsonWithoutControls(row) : lineOf(row));
  }
}

function lineOf(row: AuditRow): string {
  const { sequence, at, action, attemptId, userId, client, personDigest, detail, count } = row;
  const named = { attempt: attemptId, user: userId, client, person: personDigest, detail, count };
  const told = Object.entries(named).filter(([, value]) => value !== null);
  const about = told.map(([name, value]) => `${name}=${value}`).join(' ');
  return `${String(sequence).padStart(6)}  ${isoTimestamp(at)}  ${action.padEnd(26)} ${about}`;
}
