/**
 * A value that must never be printed. Accidental conversion to text (a log line, a template, JSON)
 * gives a marker. Only `reveal()` gives the value, so every use of it can be found.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

/** Our keys and tokens, 32 bytes in hex, and an address with an `@`, which may hold a password. */
const LIKE_A_SECRET = /@|\bmf[kt]_|^[0-9a-f]{64}$/i;

/** Whether a text that was written where no secret belongs may be one all the same. */
export function mayBeSecret(text: string): boolean {
  return LIKE_A_SECRET.test(text);
}
