import { h, type ComponentChild } from 'preact';
import type { Locale } from './locale.ts';

/**
 * Codes, addresses and header lines: printable ASCII that begins with a letter, a slash or a brace.
 * Without isolation an Arabic line shows the punctuation at their ends on the other side.
 */
const LATIN_RUN = /([A-Za-z/{][\x21-\x7e]*(?: [\x21-\x7e]+)*)/;

/** Punctuation that ends the sentence instead of the code, except for dots such as in `mfk_...`. */
const SENTENCE_END = /(?:(?<!\.)\.|[):;,])+$/;

/** A text of the pages. On right-to-left pages its Latin parts are isolated. */
export function isolated(text: string, locale: Locale): ComponentChild[] {
  return pieces(text, locale).map(({ piece, isLatin }) =>
    isLatin ? h('bdi', { dir: 'ltr' }, piece) : piece,
  );
}

/**
 * The same for places that can't contain elements, such as `<title>`: U+2066 and U+2069 around each
 * part.
 */
export function isolatedText(text: string, locale: Locale): string {
  const marked = pieces(text, locale).map(({ piece, isLatin }) =>
    isLatin ? `\u2066${piece}\u2069` : piece,
  );
  return marked.join('');
}

/**
 * A name in any language for such places: U+2068 and U+2069 around it have the effect of `<bdi>`.
 */
export function isolatedName(name: string): string {
  return `\u2068${name}\u2069`;
}

function pieces(text: string, locale: Locale): { piece: string; isLatin: boolean }[] {
  if (locale !== 'ar') return [{ piece: text, isLatin: false }];
  return text.split(LATIN_RUN).flatMap((part, index) => {
    // split with a group: the text between matches is at even indexes, the matches at odd ones.
    if (index % 2 === 0) return part === '' ? [] : [{ piece: part, isLatin: false }];
    const end = SENTENCE_END.exec(part)?.[0] ?? '';
    const code = { piece: part.slice(0, part.length - end.length), isLatin: true };
    return end === '' ? [code] : [code, { piece: end, isLatin: false }];
  });
}
