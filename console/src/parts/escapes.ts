/** A text with the characters of a pattern written out, as `\u202e`. */
export function withEscapes(text: string, pattern: RegExp): string {
  return text.replaceAll(
    pattern,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const NOT_PRINTABLE = /[^\x20-\x7e]/g;

/** JSON, which is also a text of JavaScript, in printable ASCII. */
export function asciiJson(value: unknown): string {
  return withEscapes(JSON.stringify(value), NOT_PRINTABLE);
}

/** For what can't be written in another way: a header, or a comment. */
export function ascii(text: string): string {
  return text.replaceAll(NOT_PRINTABLE, '?');
}
