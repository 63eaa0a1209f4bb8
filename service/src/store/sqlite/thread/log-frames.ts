/** The parts of a write-ahead log: https://sqlite.org/fileformat2.html#the_write_ahead_log */

export const HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
/** The page size of every file that this program makes. */
export const NATIVE_PAGE_BYTES = 4096;

/** The lowest bit says whether the words that are summed up are big-endian. */
const MAGIC = 0x377f0682;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65_536;

/** SQLite's checksum, which goes on from one frame to the next. */
export interface Sum {
  readonly first: number;
  readonly second: number;
}

const ZERO: Sum = { first: 0, second: 0 };

/** Where the fields of the header are; all are big-endian. */
const HEADER = { magic: 0, pageSize: 8, salts: 16, sum: 24 } as const;
/** The same for the header of a frame. */
const FRAME = { page: 0, pagesAfterCommit: 4, salts: 8, sum: 16 } as const;

/** Whether SQLite would use the log at all. */
export function isIntact(header: DataView): boolean {
  const magic = header.getUint32(HEADER.magic);
  const size = pageSizeOf(header);
  const isSize = size >= MIN_PAGE_BYTES && size <= MAX_PAGE_BYTES && (size & (size - 1)) === 0;
  if (Math.floor(magic / 2) * 2 !== MAGIC || !isSize) return false;
  const sum = addUp(ZERO, header, { from: 0, to: HEADER.sum }, wordsAreLittleEndian(header));
  return isSame(sum, sumOfHeader(header));
}

export function pageSizeOf(header: DataView): number {
  return header.getUint32(HEADER.pageSize);
}

export function wordsAreLittleEndian(header: DataView): boolean {
  return header.getUint32(HEADER.magic) === MAGIC;
}

/** As it is stored. */
export function sumOfHeader(header: DataView): Sum {
  return sumAt(header, HEADER.sum);
}

/** Both salts, which are new each time the log begins anew. */
export function saltsOfHeader(header: DataView): bigint {
  return header.getBigUint64(HEADER.salts);
}

export function saltsOfFrame(frames: DataView, from: number): bigint {
  return frames.getBigUint64(from + FRAME.salts);
}

/** As it is stored. */
export function sumOfFrame(frames: DataView, from: number): Sum {
  return sumAt(frames, from + FRAME.sum);
}

/** The last frame of a transaction. */
export function isCommit(frames: DataView, from: number): boolean {
  return frames.getUint32(from + FRAME.pagesAfterCommit) > 0;
}

/** Whether the frame was written behind one with this checksum, and is whole. */
export function follows(
  before: Sum,
  frames: DataView,
  place: { readonly from: number; readonly to: number },
  isLittle: boolean,
): boolean {
  const { from, to } = place;
  if (frames.getUint32(from + FRAME.page) === 0) return false;
  const head = addUp(before, frames, { from, to: from + FRAME.salts }, isLittle);
  const all = addUp(head, frames, { from: from + FRAME_HEADER_BYTES, to }, isLittle);
  return isSame(all, sumOfFrame(frames, from));
}

function addUp(
  start: Sum,
  view: DataView,
  { from, to }: { readonly from: number; readonly to: number },
  isLittle: boolean,
): Sum {
  let { first, second } = start;
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, isLittle) + second) >>> 0;
    second = (second + view.getUint32(at + 4, isLittle) + first) >>> 0;
  }
  return { first, second };
}

function sumAt(view: DataView, at: number): Sum {
  return { first: view.getUint32(at), second: view.getUint32(at + 4) };
}

function isSame(one: Sum, other: Sum): boolean {
  return one.first === other.first && one.second === other.second;
}
