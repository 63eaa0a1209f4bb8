import { InvalidArgumentError } from 'commander';
import type { AddDriveCommand } from './drive-context.ts';
import { pause } from './pause.ts';
import { personOf, rowsOf, textOf, type Row } from './rows.ts';
import { act, driving, type Session } from './session.ts';
import { styleOfState, tableOf, type Column } from './table.ts';

const LOOK_AGAIN_MS = 1000;
const MOST_LISTED = 200;

const ATTEMPTS: readonly Column[] = [
  // No attempt is open for longer than some minutes, and a whole date leaves no place for the id.
  { title: 'AT (UTC)', of: (row) => textOf(row, 'created_at').slice(11, 19) },
  { title: 'ATTEMPT', of: 'id' },
  { title: 'FLOW', of: 'flow' },
  { title: 'STATE', of: 'state', style: styleOfState },
];
/** Left out where no attempt of the list has one, because a line has place for one of them. */
const SOMETIMES = [
  { title: 'PERSON', of: personOf },
  { title: 'REASON', of: (row: Row) => textOf(row, 'reason') },
] as const;

interface AttemptsOptions {
  readonly limit: number;
  readonly follow?: true;
}

/** `miftah attempts`: those of the scope. */
export const attemptsCommand: AddDriveCommand = (program, context) => {
  const attempts = driving(program, 'attempts', 'the sign-ins of the instance, newest first')
    .option('--limit <count>', 'how many, up to 200', readLimit, 20)
    .option('--follow', 'then one line for each that starts or changes, until Ctrl-C');
  act(attempts, context, async (session, { limit, follow }: AttemptsOptions) => {
    if (follow === true) return followAttempts(session, limit);
    const rows = await listed(session, limit);
    session.print(rows, () => shown(rows, session, true));
  });
};

async function listed({ control }: Session, limit: number): Promise<readonly Row[]> {
  return rowsOf(await control.call('listAttempts', { query: { limit: String(limit) } }));
}

/** Oldest first, as they come. Never returns. @throws DriveFailure, also at Ctrl-C */
async function followAttempts(session: Session, limit: number): Promise<void> {
  const seen = new Map<string, string>();
  for (let count = limit; ; count = MOST_LISTED) {
    const rows = (await listed(session, count)).toReversed();
    const changed = rows.filter((row) => seen.get(textOf(row, 'id')) !== textOf(row, 'state'));
    if (seen.size === 0 && !session.isJson) session.note('Ctrl-C ends it.');
    for (const row of changed) session.print(row, () => shown([row], session, false));
    // What is not listed any more can't change.
    seen.clear();
    for (const row of rows) seen.set(textOf(row, 'id'), textOf(row, 'state'));
    await pause(session, LOOK_AGAIN_MS);
  }
}

function shown(rows: readonly Row[], { context: { out } }: Session, hasTitles: boolean): string {
  if (rows.length === 0) return 'No attempts.\n';
  const others = SOMETIMES.filter(({ of }) => rows.some((row) => of(row) !== ''));
  return tableOf(rows, [...ATTEMPTS, ...others], out, hasTitles);
}

function readLimit(text: string): number {
  const count = Number(text);
  if (/^[1-9]\d{0,2}$/.test(text) && count <= MOST_LISTED) return count;
  throw new InvalidArgumentError(`It is a number from 1 to ${MOST_LISTED}.`);
}
