/**
 * Text of a service, its database or a provider is shown on a terminal, and must not be able to control
 * it: control characters, line and paragraph separators, and marks that change the direction of text.
 */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** One line, with a space for each character that controls a terminal. */
export function withoutControls(text: string): string {
  return text.replaceAll(UNPRINTABLE, ' ');
}

/** Text that may have several lines. */
export function linesWithoutControls(text: string): string {
  return text.split('\n').map(withoutControls).join('\n');
}

/**
 * JSON with those characters escaped. @param value what JSON can say, so not undefined
 * @param indent spaces per level; without it the JSON is one line
 */
export function jsonWithoutControls(value: unknown, indent?: number): string {
  const lines = JSON.stringify(value, null, indent).split('\n');
  return lines.map((line) => line.replaceAll(UNPRINTABLE, escaped)).join('\n');
}

/** All of them have one UTF-16 code unit. */
function escaped(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
