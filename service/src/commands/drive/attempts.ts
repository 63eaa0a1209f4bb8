import { InvalidArgumentError } from 'commander';
import type { AddDriveCommand } from '../instance/drive-context.ts';
import { pause } from '../instance/pause.ts';
import { personOf, rowsOf, textOf, type Row } from '../instance/rows.ts';
import { onRun, driveCommand, type Session } from '../instance/session.ts';
import { SECOND_MS } from '../../values/time.ts';
import { inWords, styleOfState, tableOf, type Column } from './table.ts';

const LOOK_AGAIN_MS = SECOND_MS;
const MOST_LISTED = 200;

const ATTEMPTS: readonly Column[] = [
  // The time without the date: an attempt is open for minutes, and a line has no place for both
  // the date and the id.
  { title: 'AT (UTC)', of: (row) => textOf(row, 'created_at').slice(11, 19) },
  { title: 'ATTEMPT', of: 'id' },
  { title: 'FLOW', of: inWords('flow') },
  { title: 'STATE', of: inWords('state'), style: styleOfState },
];
/** A column without a value in any row is left out: a line of 80 characters has place for one. */
const OPTIONAL_COLUMNS = [
  { title: 'PERSON', of: personOf },
  { title: 'REASON', of: (row: Row) => textOf(row, 'reason') },
] as const;

interface AttemptsOptions {
  readonly limit: number;
  readonly follow?: true;
}

/** `miftah attempts`: the attempts of the scope. */
export const attemptsCommand: AddDriveCommand = (program, context) => {
  const attempts = driveCommand(program, 'attempts', 'the sign-ins of the instance, newest first')
    .option('--limit <count>', 'how many, up to 200', readLimit, 20)
    .option('--follow', 'then one line for each that starts or changes, until Ctrl-C');
  onRun(attempts, context, async (session, { limit, follow }: AttemptsOptions) => {
    if (follow === true) return followAttempts(session, limit);
    const rows = await listAttempts(session, limit);
    session.print(rows, () => tableText(rows, session, true));
  });
};

async function listAttempts({ control }: Session, limit: number): Promise<readonly Row[]> {
  return rowsOf(await control.call('listAttempts', { query: { limit: String(limit) } }));
}

/**
 * Prints the newest attempts, oldest first, then each one that starts or changes its state. Never
 * returns. @throws DriveFailure, also at Ctrl-C
 */
async function followAttempts(session: Session, limit: number): Promise<void> {
  const print = (rows: readonly Row[]) => {
    for (const row of rows.toReversed()) session.print(row, () => tableText([row], session, false));
  };
  // All that can be listed, because an attempt that was not among the newest may change later.
  let rows = await listAttempts(session, MOST_LISTED);
  if (!session.isJson) session.note('Ctrl-C ends it.');
  print(rows.slice(0, limit));
  for (;;) {
    await pause(session, LOOK_AGAIN_MS);
    const before = new Map(rows.map((row) => [textOf(row, 'id'), textOf(row, 'state')]));
    rows = await listAttempts(session, MOST_LISTED);
    print(rows.filter((row) => before.get(textOf(row, 'id')) !== textOf(row, 'state')));
  }
}

function tableText(
  rows: readonly Row[],
  { context: { out } }: Session,
  hasTitles: boolean,
): string {
  if (rows.length === 0) return 'No attempts.\n';
  const others = OPTIONAL_COLUMNS.filter(({ of }) => rows.some((row) => of(row) !== ''));
  return tableOf(rows, [...ATTEMPTS, ...others], out, hasTitles);
}

function readLimit(text: string): number {
  const count = Number(text);
  if (/^[1-9]\d{0,2}$/.test(text) && count <= MOST_LISTED) return count;
  throw new InvalidArgumentError(`It is a number from 1 to ${MOST_LISTED}.`);
}
