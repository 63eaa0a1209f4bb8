/**
 * Words of a POSIX shell. A value that was masked becomes a variable, which the reader sets: no
 * secret is ever written into a command.
 */

/** A text, in which variables stand for what is secret. */
export type Pieces = readonly (string | Variable)[];
export type Variable = { readonly variable: string };

/** One word, in which the shell expands nothing but our variables. */
export function shellWord(pieces: Pieces): string {
  const all = merged(pieces);
  const isOneWord = all.length > 1 && all.every((piece) => isVariable(piece) || SAFE.test(piece));
  if (isOneWord) return `"${all.map(inQuotes).join('')}"`;
  return all.map(quoted).join('') || "''";
}

const isVariable = (piece: string | Variable): piece is Variable => typeof piece !== 'string';

/** What means itself between double quotes, so that a whole word can stand in one pair of them. */
const SAFE = /^[\w ./:@%+,=?&-]+$/;

/** A name ends where no letter can follow it. */
function inQuotes(piece: string | Variable, place: number, all: Pieces): string {
  if (!isVariable(piece)) return piece;
  const next = all[place + 1];
  return typeof next === 'string' && /^\w/.test(next)
    ? `$\{${piece.variable}}`
    : `$${piece.variable}`;
}

function quoted(piece: string | Variable): string {
  return typeof piece === 'string' ? quote(piece) : `"$${piece.variable}"`;
}

/** Texts beside each other become one, so that a word has no more quotes than it needs. */
function merged(pieces: Pieces): Pieces {
  const all: (string | Variable)[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') all[all.length - 1] = last + piece;
    else if (piece !== '') all.push(piece);
  }
  return all;
}

/** What needs no quotes, as in most addresses. */
const PLAIN = /^[\w./:@%+,=-]+$/;

function quote(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * A command that prints exactly this, whatever its characters are. The command itself is printable
 * ASCII.
 */
export function printCommand(pieces: Pieces): string {
  const format = pieces.map((piece) => (typeof piece === 'string' ? octal(piece) : '%s')).join('');
  const values = pieces.filter((piece) => typeof piece !== 'string').map(quoted);
  return ['printf', quote(format), ...values].join(' ');
}

/** For the format of `printf`, in which `%` and `\` have a meaning. */
function octal(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte, place) => {
    const character = String.fromCharCode(byte);
    // A hyphen at the beginning would be an option.
    const isOption = place === 0 && character === '-';
    if (isOption || /[^\x20-\x7e]/.test(character)) return `\\${byte.toString(8).padStart(3, '0')}`;
    return character === '%' || character === '\\' ? character + character : character;
  }).join('');
}

export function variablesIn(pieces: Pieces): readonly string[] {
  return pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.variable]));
}
