import {
  follows,
  HEADER_BYTES,
  isCommit,
  saltsOfFrame,
  saltsOfHeader,
  sumOfFrame,
  type Sum,
} from './log-frames.ts';

export interface FlushedBehindDamage {
  /** The length of the log up to the last commit that SQLite reads. */
  readonly readable: number;
  /** Commits behind it that were flushed for certain; there may be more. */
  readonly commits: number;
}

/**
 * Takes the frames of a log in their order. Up to the first whose checksum does not fit it does as
 * SQLite. Behind that place it looks for frames of the same log whose checksum follows from the one
 * that is stored in the frame before them: a frame that follows a commit was written when that
 * commit had been flushed.
 */
export class ChainWalk {
  readonly #frameBytes: number;
  readonly #isLittle: boolean;
  /** Null until the first frame when the header is damaged. */
  #salts: bigint | null;
  #before: Sum;
  #isBroken: boolean;
  #isBehindCommit = false;
  #end = HEADER_BYTES;
  #readable = 0;
  #commits = 0;

  constructor(frameBytes: number, isLittle: boolean, header: DataView | null, sum: Sum) {
    this.#frameBytes = frameBytes;
    this.#isLittle = isLittle;
    this.#salts = header === null ? null : saltsOfHeader(header);
    this.#before = sum;
    this.#isBroken = header === null;
  }

  get found(): FlushedBehindDamage | null {
    return this.#commits === 0 ? null : { readable: this.#readable, commits: this.#commits };
  }

  /** @param from where the frame begins */
  add(frames: DataView, from: number): void {
    this.#salts ??= saltsOfFrame(frames, from);
    const place = { from, to: from + this.#frameBytes };
    const isNext =
      saltsOfFrame(frames, from) === this.#salts &&
      follows(this.#before, frames, place, this.#isLittle);
    if (isNext && this.#isBroken && this.#isBehindCommit) this.#commits += 1;
    if (!isNext) this.#isBroken = true;
    this.#isBehindCommit = isNext && isCommit(frames, from);
    this.#end += this.#frameBytes;
    if (this.#isBehindCommit && !this.#isBroken) this.#readable = this.#end;
    this.#before = sumOfFrame(frames, from);
  }
}
