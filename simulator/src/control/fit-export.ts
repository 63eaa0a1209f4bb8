/** The file of an attempt is never larger than what an import takes. */
import { IMPORT_LIMIT_BYTES } from '../http/json-body.ts';
import type { Numbered } from '../journal/journal.ts';
import { countValues, MOST_VALUES, withoutBodies } from '../journal/weigh.ts';
import { entryRow, timeLineRow } from './time-line-wire.ts';
import type { TimeLineFacts } from './time-lines.ts';

/** What the file has besides: its format, its version and when it was made. */
const ENVELOPE_BYTES = 256;

/**
 * The time line as a file can have it: where it is too large, the longest entries are without their
 * bodies, and if that is not enough, entries in the middle are left out.
 */
export function fitted(facts: TimeLineFacts): TimeLineFacts {
  const room = IMPORT_LIMIT_BYTES - ENVELOPE_BYTES - bytesOf({ ...facts, entries: [] });
  const sized = facts.entries.map((kept) => ({ kept, bytes: bytesOfEntry(kept) }));
  let bytes = sized.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of sized.toSorted((first, second) => second.bytes - first.bytes)) {
    if (bytes <= room) break;
    bytes -= one.bytes;
    one.kept = { ...one.kept, entry: withoutBodies(one.kept.entry) };
    one.bytes = bytesOfEntry(one.kept);
    bytes += one.bytes;
  }
  while (bytes > room) bytes -= sized.splice(Math.floor(sized.length / 2), 1)[0]?.bytes ?? bytes;
  const leftOut = facts.leftOut + facts.entries.length - sized.length;
  return { ...facts, entries: sized.map(({ kept }) => kept), leftOut };
}

/** With the comma after it. */
function bytesOfEntry(kept: Numbered): number {
  return sizeOf(entryRow(kept)) + 1;
}

function bytesOf(facts: TimeLineFacts): number {
  return sizeOf(timeLineRow(facts));
}

/** Of bytes and of values an import takes so many: short values count as longer ones. */
const BYTES_OF_VALUE = Math.ceil(IMPORT_LIMIT_BYTES / MOST_VALUES);

function sizeOf(row: object): number {
  const values = countValues(row, MOST_VALUES);
  return Math.max(Buffer.byteLength(JSON.stringify(row)), values * BYTES_OF_VALUE);
}
