import { withEscapes } from './escapes.ts';

/**
 * Characters that are not seen, or that turn the direction of what follows: they could make a text
 * look like another one.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- They are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text from outside with such characters written out, as `\u202e`. Line ends and tabs stay. */
export function visible(text: string): string {
  return withEscapes(text, UNSEEN);
}
