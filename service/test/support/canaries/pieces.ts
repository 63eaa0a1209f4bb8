/** Every piece has this many characters of `[A-Za-z0-9_-]`. */
export const PIECE = 16;

const FACTOR = 0x01000193;
/** FACTOR to the power of PIECE: what the first character of a piece has been multiplied by. */
const FIRST_FACTOR = Array.from({ length: PIECE }, () => FACTOR).reduce(Math.imul, 1);
const TABLE_BITS = 22;

const IS_IN_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[\w-]/.test(String.fromCharCode(code))),
);

/**
 * Finds any of many pieces at any position of a text, in one pass (Rabin and Karp): the hash of the
 * last characters follows from the one before, and only where it is that of a piece is the text
 * itself compared.
 */
export class Pieces<Kind> {
  readonly #kinds = new Map<string, Kind>();
  readonly #isHash = new Uint8Array(2 ** TABLE_BITS);

  add(piece: string, kind: Kind): void {
    if (piece.length !== PIECE || !/^[\w-]+$/.test(piece)) return;
    this.#kinds.set(piece, kind);
    let hash = 0;
    for (let at = 0; at < PIECE; at += 1) {
      hash = (Math.imul(hash, FACTOR) + piece.charCodeAt(at)) | 0;
    }
    this.#isHash[placeOf(hash)] = 1;
  }

  /** The kinds of the pieces in the text, each once. */
  in(text: string): Set<Kind> {
    const found = new Set<Kind>();
    let hash = 0;
    let length = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (IS_IN_WORD[code] !== 1) {
        hash = 0;
        length = 0;
        continue;
      }
      hash = (Math.imul(hash, FACTOR) + code) | 0;
      length += 1;
      if (length > PIECE) {
        hash = (hash - Math.imul(text.charCodeAt(at - PIECE), FIRST_FACTOR)) | 0;
      }
      if (length < PIECE || this.#isHash[placeOf(hash)] !== 1) continue;
      const kind = this.#kinds.get(text.slice(at + 1 - PIECE, at + 1));
      if (kind !== undefined) found.add(kind);
    }
    return found;
  }
}

function placeOf(hash: number): number {
  return hash >>> (32 - TABLE_BITS);
}
