const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word of a command that a person copies into a POSIX shell: quoted where it has to be. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
