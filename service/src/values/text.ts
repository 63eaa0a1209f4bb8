/**
 * Whether a string can be kept as text everywhere: valid Unicode without U+0000 (NUL). PostgreSQL
 * stores nothing else. Half of a surrogate pair has no form in UTF-8, so it would come back as
 * another character.
 */
export function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

/**
 * The ends of lines, and what embeds or turns the direction of the text around it: a name with one
 * could show another name. The marks that stand for one character (U+200E, U+200F, U+061C) are needed
 * where Arabic and Latin letters meet.
 */
const STEERING = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

/** Whether a text can be shown in one line of any page or terminal, and as it is written. */
export function isPlainLine(value: string): boolean {
  return !STEERING.test(value);
}

/** The member names that lead from a value of JSON to a string in it. */
export type Path = readonly string[];

/** Where in a value of JSON the strings are that are no text. Names of members do not count. */
export function pathsOfNonText(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === 'string') return isText(value) ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => pathsOfNonText(member, [...path, name]));
}
