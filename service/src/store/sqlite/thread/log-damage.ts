import { closeSync, existsSync, fsyncSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { ChainWalk, type FlushedBehindDamage } from './log-chain.ts';
import { isIntact, pageSizeOf, sumOfHeader, wordsAreLittleEndian } from './log-frames.ts';
import { FRAME_HEADER_BYTES, HEADER_BYTES, NATIVE_PAGE_BYTES } from './log-frames.ts';

/** How much of the log is in memory at a time. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Looks for flushed commits behind a damaged place of a write-ahead log, which SQLite would leave
 * out without a word, although they were acknowledged, and reads the whole file for it. A frame that
 * does not fit is no proof by itself: a power cut during a commit leaves one too.
 * @param log nobody may write to it meanwhile
 * @returns null when there are none, or there is no log
 * @throws Error of the file system
 */
export function findLogDamage(log: string): FlushedBehindDamage | null {
  return withFile(log, 'r', walk);
}

/**
 * A process that is killed between the write and the flush of a commit leaves one that SQLite reads
 * and that a power cut can still take away. After this, that can't happen to anything that is read,
 * and no more than one commit is ever waiting for its flush: `findLogDamage` relies on it.
 * @throws Error of the file system
 */
export function flushLog(log: string): void {
  // Windows flushes only a file that may be written to.
  withFile(log, 'r+', fsyncSync);
}

function withFile<Result>(
  file: string,
  flags: string,
  use: (descriptor: number) => Result,
): Result | null {
  if (!existsSync(file)) return null;
  const descriptor = openSync(file, flags);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function walk(log: number): FlushedBehindDamage | null {
  const header = read(log, 0, HEADER_BYTES);
  if (header.byteLength < HEADER_BYTES) return null;
  const isWhole = isIntact(header);
  // With a damaged header the log is read as our own files are written: SQLite's default page size.
  const pageBytes = isWhole ? pageSizeOf(header) : NATIVE_PAGE_BYTES;
  const isLittle = isWhole ? wordsAreLittleEndian(header) : endianness() === 'LE';
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const chain = new ChainWalk(frameBytes, isLittle, isWhole ? header : null, sumOfHeader(header));
  const chunkBytes = Math.ceil(CHUNK_BYTES / frameBytes) * frameBytes;
  for (let at = HEADER_BYTES; ; at += chunkBytes) {
    const chunk = read(log, at, chunkBytes);
    const last = chunk.byteLength - frameBytes;
    for (let from = 0; from <= last; from += frameBytes) chain.add(chunk, from);
    if (chunk.byteLength < chunkBytes) return chain.found;
  }
}

/** Fewer bytes only at the end of the file. */
function read(file: number, from: number, length: number): DataView {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const more = readSync(file, bytes, done, length - done, from + done);
    if (more === 0) break;
    done += more;
  }
  return new DataView(bytes.buffer, 0, done);
}
