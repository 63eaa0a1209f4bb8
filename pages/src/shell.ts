/** Quotes a text as one word for a POSIX shell, which then expands nothing in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * JSON in printable ASCII only. Pages show commands that people paste into a terminal, with values
 * from the address bar. Invisible characters, or those that change the direction, could make a
 * command look like another one.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
