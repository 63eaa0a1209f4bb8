/**
 * What an instance says is shown on a terminal, so it must not be able to steer the terminal:
 * control characters, line and paragraph separators, and marks that turn the direction of text.
 */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** One line without a character that steers a terminal. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, ' ');
}

/** Text that may have several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** The same JSON, with those characters escaped. @param indent of its lines; without it there is one */
export function printableJson(value: unknown, indent?: number): string {
  const lines = JSON.stringify(value, null, indent).split('\n');
  return lines.map((line) => line.replaceAll(UNPRINTABLE, escaped)).join('\n');
}

/** All of them have one UTF-16 code unit. */
function escaped(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
