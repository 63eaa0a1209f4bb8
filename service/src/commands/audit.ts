import { parseAttemptId, type AttemptId } from '../domain/attempt-id.ts';
import type { AuditRow } from '../domain/audit.ts';
import type { AuditFault } from '../domain/audit-chain.ts';
import { isoTimestamp } from '../domain/time.ts';
import type { Store } from '../ports/store.ts';
import { readCount, type AddCommand, type Office } from './office.ts';

const ROWS_AT_ONCE = 500;

interface Options {
  readonly verify?: true;
  readonly json?: true;
  readonly after: number;
  readonly attempt?: string;
}

/** `miftah audit`, and `miftah audit --verify`. */
export const auditCommand: AddCommand = (program, office) => {
  program
    .command('audit')
    .description('what has happened that matters for security, oldest first')
    .option('--verify', 'whether every row is as it was written, and none is missing')
    .option('--after <sequence>', 'rows after this one', readCount, 0)
    .option('--attempt <attempt_id>', 'rows of one attempt')
    .option('--json', 'one JSON object a line')
    .action((options: Options) => {
      const attemptId = options.attempt === undefined ? null : parseAttemptId(options.attempt);
      if (options.attempt !== undefined && attemptId === null) {
        return office.fail('An attempt id is a UUID.');
      }
      return office.withStore((store) =>
        options.verify === true ? verify(store, office) : show(store, office, options, attemptId),
      );
    });
};

const FAULTS: Readonly<Record<AuditFault, string>> = {
  missing: 'it is not there, and later ones are',
  moved: 'it was written after another row than the one before it',
  changed: 'it is not as it was written',
  truncated: 'the log once went on here, and has been cut off',
  beyond: 'it comes after the end that the log knows',
  head_lost: 'nothing says where the log ends',
  head_changed: 'the log says that it ends with another row',
};

async function verify(store: Store, { print, fail }: Office): Promise<void> {
  const verdict = await store.verifyAudit();
  if (!verdict.ok) return fail(`Row ${verdict.sequence} is wrong: ${FAULTS[verdict.fault]}.`);
  print(`${verdict.count} rows, each as it was written. The last one has the hash`);
  print(verdict.head);
  print('Keep it elsewhere: a log that was written anew as a whole does not have it.');
}

async function show(
  store: Store,
  { print }: Office,
  { after, json }: Options,
  attemptId: AttemptId | null,
): Promise<void> {
  const only = attemptId === null ? {} : { attemptId };
  for (let last: number | null = after; last !== null;) {
    const rows: readonly AuditRow[] = await store.readAudit({
      after: last,
      limit: ROWS_AT_ONCE,
      ...only,
    });
    for (const row of rows) print(json === true ? JSON.stringify(row) : lineOf(row));
    last = rows.length < ROWS_AT_ONCE ? null : (rows.at(-1)?.sequence ?? null);
  }
}

function lineOf(row: AuditRow): string {
  const { sequence, at, action, attemptId, userId, client, personDigest, detail, count } = row;
  const named = { attempt: attemptId, user: userId, client, person: personDigest, detail, count };
  const told = Object.entries(named).filter(([, value]) => value !== null);
  const about = told.map(([name, value]) => `${name}=${value}`).join(' ');
  return `${String(sequence).padStart(6)}  ${isoTimestamp(at)}  ${action.padEnd(26)} ${about}`;
}
