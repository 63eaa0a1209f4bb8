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
