/** Where a text stops being JSON: both begin at 1, and a column counts UTF-16 units. */
export interface JsonPlace {
  readonly line: number;
  readonly column: number;
}

/** What may come next. */
type Wanted = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end' | 'nothing';

const SPACES = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * The first place at which no JSON goes on as `text` does (RFC 8259), and of a comma too many its own;
 * null where it is JSON. The
 * parser of the engine names a place for some faults only, beside a part of the text, which may be
 * a secret.
 */
export function placeOfFault(text: string): JsonPlace | null {
  const reader = new Reader(text);
  reader.read();
  return reader.isWhole ? null : placeAt(text, commaBefore(text, reader.at) ?? reader.at);
}

/**
 * What to correct in `text`, with its place and none of its words, for whoever wrote it by hand; null
 * where it is JSON.
 */
export function faultOfJson(text: string): string | null {
  const reader = new Reader(text);
  reader.read();
  if (reader.isWhole) return null;
  const comma = commaBefore(text, reader.at);
  const { line, column } = placeAt(text, comma ?? reader.at);
  const place = `line ${line}, column ${column}`;
  if (reader.at === text.length) return `it ends too early, at ${place}`;
  const sign = text.charAt(reader.at);
  if (comma !== null) return `${place}: a comma before ${sign}`;
  if (reader.lacksComma && /["[{]/.test(sign)) return `${place}: a comma is missing`;
  const [, told] =
    TAKEN_FOR_JSON.find(([begin]) => begin.test(text.slice(reader.at, reader.at + 2))) ?? [];
  return told === undefined ? place : `${place}: ${told}`;
}

/** What other formats have that are read as JSON is, and what it begins with. */
const TAKEN_FOR_JSON: readonly (readonly [RegExp, string])[] = [
  [/^['‘’]/, 'a single quote, where JSON has "'],
  [/^[“”„]/, 'a curly quote, where JSON has "'],
  [/^(?:\/[/*]|#)/, 'a comment, and JSON has none'],
];

/** Where the comma is that has an end after it at `at`, in place of what it promises. */
function commaBefore(text: string, at: number): number | null {
  const last = text.slice(0, at).trimEnd().length - 1;
  return /[\]}]/.test(text.charAt(at)) && text.charAt(last) === ',' ? last : null;
}

/** Goes from part to part without recursion, so that a deep text can't exhaust the stack. */
class Reader {
  at = 0;
  readonly #text: string;
  /** The end of each object and list that has begun. */
  readonly #open: ('}' | ']')[] = [];
  #wanted: Wanted = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  get isWhole(): boolean {
    return this.#wanted === 'nothing' && this.at === this.#text.length;
  }

  get lacksComma(): boolean {
    return this.#wanted === ', or end';
  }

  read(): void {
    do this.#take(SPACES);
    while (this.at < this.#text.length && this.#step(this.#text[this.at] ?? ''));
  }

  /** @returns false where the text breaks */
  #step(sign: string): boolean {
    switch (this.#wanted) {
      case 'nothing':
        return false;
      case ':':
        return sign === ':' && this.#go('value');
      case ', or end':
        return this.#end(sign) || (sign === ',' && this.#go(this.#isList() ? 'value' : 'name'));
      case 'name or }':
        return this.#end(sign) || this.#name(sign);
      case 'name':
        return this.#name(sign);
      case 'value or ]':
        return this.#end(sign) || this.#value(sign);
      case 'value':
        return this.#value(sign);
    }
  }

  #isList(): boolean {
    return this.#open.at(-1) === ']';
  }

  #go(wanted: Wanted): true {
    this.at += 1;
    this.#wanted = wanted;
    return true;
  }

  #end(sign: string): boolean {
    if (sign !== this.#open.at(-1)) return false;
    this.#open.pop();
    this.at += 1;
    return this.#after();
  }

  #name(sign: string): boolean {
    if (sign !== '"' || !this.#string()) return false;
    this.#wanted = ':';
    return true;
  }

  #value(sign: string): boolean {
    if (sign === '{' || sign === '[') {
      this.#open.push(sign === '{' ? '}' : ']');
      return this.#go(sign === '{' ? 'name or }' : 'value or ]');
    }
    return (sign === '"' ? this.#string() : this.#take(SCALAR)) && this.#after();
  }

  #after(): true {
    this.#wanted = this.#open.length === 0 ? 'nothing' : ', or end';
    return true;
  }

  #string(): boolean {
    for (this.at += 1; this.at < this.#text.length;) {
      const sign = this.#text[this.at] ?? '';
      if (sign === '"') {
        this.at += 1;
        return true;
      }
      if (sign < ' ' || (sign === '\\' && !this.#take(ESCAPE))) return false;
      if (sign !== '\\') this.at += 1;
    }
    return false;
  }

  #take(part: RegExp): boolean {
    part.lastIndex = this.at;
    const found = part.test(this.#text);
    if (found) this.at = part.lastIndex;
    return found;
  }
}

function placeAt(text: string, at: number): JsonPlace {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
