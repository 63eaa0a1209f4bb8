/** Every piece has this many characters of `[A-Za-z0-9_-]`. */
export const PIECE = 16;

const FACTOR = 0x01000193;
/** FACTOR to the power of PIECE: what the first character of a piece has been multiplied by. */
const FIRST_FACTOR = Array.from({ length: PIECE }, () => FACTOR).reduce(Math.imul, 1);
const TABLE_BITS = 22;

/** Found by the regular expression, because most bytes of a database are in no such word. */
const LONG_WORDS = new RegExp(`[\\w-]{${PIECE},}`, 'g');

/**
 * Finds any of many pieces at any position of a text, in one pass (Rabin and Karp): the hash of the
 * last characters follows from the one before, and only where it is that of a piece is the text
 * itself compared.
 */
export class Pieces<Kind> {
  readonly #kinds = new Map<string, Kind>();
  /** A bit for each hash: small enough for the cache of a processor. */
  readonly #hashes = new Uint32Array(2 ** TABLE_BITS / 32);

  add(piece: string, kind: Kind): void {
    if (piece.length !== PIECE || !/^[\w-]+$/.test(piece)) return;
    this.#kinds.set(piece, kind);
    let hash = 0;
    for (let at = 0; at < PIECE; at += 1) {
      hash = (Math.imul(hash, FACTOR) + piece.charCodeAt(at)) | 0;
    }
    const place = placeOf(hash);
    this.#hashes[place >>> 5] = (this.#hashes[place >>> 5] ?? 0) | (1 << (place & 31));
  }

  /** The kinds of the pieces in the text, each once. */
  in(text: string): Set<Kind> {
    const found = new Set<Kind>();
    for (const [word] of text.matchAll(LONG_WORDS)) this.#addIn(word, found);
    return found;
  }

  #addIn(word: string, found: Set<Kind>): void {
    const hashes = this.#hashes;
    let hash = 0;
    for (let at = 0; at < word.length; at += 1) {
      hash = (Math.imul(hash, FACTOR) + word.charCodeAt(at)) | 0;
      if (at >= PIECE) hash = (hash - Math.imul(word.charCodeAt(at - PIECE), FIRST_FACTOR)) | 0;
      const place = placeOf(hash);
      if (at < PIECE - 1 || (((hashes[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 0) continue;
      const kind = this.#kinds.get(word.slice(at + 1 - PIECE, at + 1));
      if (kind !== undefined) found.add(kind);
    }
  }
}

function placeOf(hash: number): number {
  return hash >>> (32 - TABLE_BITS);
}
