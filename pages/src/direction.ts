import { h, type ComponentChild } from 'preact';
import type { Locale } from './locale.ts';

/**
 * Codes, addresses and header lines: printable ASCII that begins with a letter, a slash or a brace.
 * Without isolation the signs at their ends go to the other side of a line in Arabic.
 */
const LATIN_RUN = /([A-Za-z/{][\x21-\x7e]*(?: [\x21-\x7e]+)*)/;

/** What ends the sentence and not the code, unless it stands for more, as in `mfk_...`. */
const SENTENCE_END = /(?:(?<!\.)\.|[):;,])+$/;

/** A text of the pages, with its Latin stretches isolated where the page runs the other way. */
export function isolated(text: string, locale: Locale): ComponentChild[] {
  return pieces(text, locale).map(({ piece, isLatin }) =>
    isLatin ? h('bdi', { dir: 'ltr' }, piece) : piece,
  );
}

/** The same for places that take no elements, as `<title>`: U+2066 and U+2069 around each. */
export function isolatedText(text: string, locale: Locale): string {
  const marked = pieces(text, locale).map(({ piece, isLatin }) =>
    isLatin ? `\u2066${piece}\u2069` : piece,
  );
  return marked.join('');
}

/** A name in whatever language, for such places: U+2068 and U+2069 around it, as `<bdi>` does it. */
export function isolatedName(name: string): string {
  return `\u2068${name}\u2069`;
}

function pieces(text: string, locale: Locale): { piece: string; isLatin: boolean }[] {
  if (locale !== 'ar') return [{ piece: text, isLatin: false }];
  return text.split(LATIN_RUN).flatMap((part, index) => {
    // split with a group: what is between at even places, what was found at odd ones.
    if (index % 2 === 0) return part === '' ? [] : [{ piece: part, isLatin: false }];
    const end = SENTENCE_END.exec(part)?.[0] ?? '';
    const code = { piece: part.slice(0, part.length - end.length), isLatin: true };
    return end === '' ? [code] : [code, { piece: end, isLatin: false }];
  });
}
