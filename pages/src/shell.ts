/** One word for a POSIX shell: nothing inside it is expanded or ends it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * JSON in printable ASCII only. The pages show commands that people paste into
 * a terminal, with values from the address bar: an invisible or direction
 * changing character must not make a command look like another one.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
