/**
 * Words of a POSIX shell. A value that was masked becomes a variable, which the reader sets: no
 * secret is ever written into a command.
 */

/** A text, in which variables stand for what is secret. */
export type Pieces = readonly (string | { readonly variable: string })[];

/** One word, in which the shell expands nothing but our variables. */
export function shellWord(pieces: Pieces): string {
  const quoted = pieces
    .filter((piece) => piece !== '')
    .map((piece) => (typeof piece === 'string' ? quote(piece) : `"$${piece.variable}"`));
  return quoted.join('') || "''";
}

/** What needs no quotes, as in most addresses. */
const PLAIN = /^[\w./:@%+,=-]+$/;

function quote(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function variablesIn(pieces: Pieces): readonly string[] {
  return pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.variable]));
}

/** `attempt_token` is `ATTEMPT_TOKEN`. */
export function variableOf(name: string): string {
  const known = KNOWN.get(name.toLowerCase());
  if (known !== undefined) return known;
  const letters = name.replaceAll(/\W+/g, '_').replaceAll(/^[\d_]+|_+$/g, '');
  return letters === '' ? 'SECRET' : letters.toUpperCase();
}

const KNOWN: ReadonlyMap<string, string> = new Map([
  ['x-provider-attempt-token', 'ATTEMPT_TOKEN'],
  ['authorization', 'CLIENT_KEY'],
]);
