import type { AuditHead } from '../../audit/audit.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';
import type { AuditReader, CommandContext, CursorFile } from '../command-context.ts';
import { filterOf, type AuditFilter } from '../../audit/filter.ts';
import { lineOf, ROWS_AT_ONCE, type Form } from './line.ts';

/** Between two looks at a log that had nothing new. */
const PAUSE_MS = SECOND_MS;

export type FollowNeeds = Pick<
  CommandContext,
  'withLog' | 'cursorFile' | 'deliver' | 'isAppending' | 'tell' | 'fail' | 'pause'
>;

export interface FollowOptions extends AuditFilter, Form {
  /** Where it begins while the file has no place yet. */
  readonly after: number;
  readonly follow?: true;
  readonly cursor?: string;
}

/**
 * Prints what comes after the last row that was printed, and keeps its place after the output has
 * taken the rows: whoever is killed between the two prints some of them again, and none is left out.
 * The store is opened for each look, so that one that was replaced meanwhile is noticed.
 */
export async function follow(context: FollowNeeds, options: FollowOptions): Promise<void> {
  const file = options.cursor === undefined ? null : await context.cursorFile(options.cursor);
  let place: AuditHead | null = file?.read() ?? null;
  // An earlier run may have been cut off in a line, which then stands alone.
  if (file !== null && context.isAppending()) await context.deliver('\n');
  for (;;) {
    let isWhole = true;
    await context.withLog(async (log, now) => {
      if (place !== null && !(await log.containsHead(place))) {
        isWhole = false;
        return context.fail(lostPlace(place, options.cursor));
      }
      place = await printFrom(log, context, { options, place, file, now });
    });
    if (!isWhole || options.follow !== true) return;
    await context.pause(PAUSE_MS);
  }
}

interface Pass {
  readonly options: FollowOptions;
  readonly place: AuditHead | null;
  readonly file: CursorFile | null;
  readonly now: Ms;
}

/** @returns the last row that was read; null where there is none yet */
async function printFrom(
  log: AuditReader,
  { deliver, tell }: FollowNeeds,
  { options, place, file, now }: Pass,
): Promise<AuditHead | null> {
  const isWanted = filterOf(options, now);
  let last = place;
  for (;;) {
    const after = last?.count ?? options.after;
    const rows = await log.readAudit({ after, limit: ROWS_AT_ONCE });
    const [first] = rows;
    const end = rows.at(-1);
    if (first === undefined || end === undefined) return last;
    if (last !== null && first.sequence > after + 1) tell(removed(after + 1, first.sequence - 1));
    const lines = rows.filter(isWanted).map((row) => `${lineOf(row, options)}\n`);
    if (lines.length > 0) await deliver(lines.join(''));
    last = { count: end.sequence, hash: end.hash };
    file?.write(last);
    if (rows.length < ROWS_AT_ONCE) return last;
  }
}

const removed = (from: number, to: number) =>
  `Rows ${from} to ${to} were removed (RETENTION_AUDIT) before they were read here.`;

function lostPlace({ count }: AuditHead, file: string | undefined): string {
  const next =
    file === undefined
      ? 'Start again'
      : `Remove ${file}, and start again, with --after where it helps`;
  return (
    `The log does not have row ${count} as it was printed: the store is an older one or was changed. ` +
    `See \`miftah audit --verify\`. ${next}.`
  );
}
