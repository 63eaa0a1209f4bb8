import { h, type ComponentChild } from 'preact';
import type { Locale } from './locale.ts';

/**
 * Codes, addresses and header lines: printable ASCII that begins with a letter, a slash or a brace.
 * Without isolation an Arabic line shows the punctuation at their ends on the other side.
 */
const LATIN_RUN = /([A-Za-z/{][\x21-\x7e]*(?: [\x21-\x7e]+)*)/;

/** Punctuation that ends the sentence instead of the code, except for dots such as in `mfk_...`. */
const SENTENCE_END = /(?:(?<!\.)\.|[):;,])+$/;

/** What a text about errors has of code: addresses, header lines, operations, paths, keys and names. */
const CODES = new RegExp(
  `(${[
    String.raw`https?://[^\s",]*[^\s",.:;]`,
    String.raw`[a-z]+\.[a-z]+(?:_[a-z]+)+`,
    String.raw`[A-Z][a-z]+(?:-[A-Z][a-z]+)*: (?:Bearer(?: mf[kt]_\.{3})?|[a-z]+/[a-z]+)`,
    String.raw`(?:GET|POST|DELETE) /[\w/{}-]+`,
    String.raw`(?<!\w)/[a-z][\w/-]*(?:\.json)?`,
    String.raw`mf[kt]_\.{3}`,
    String.raw`[A-Z]\w*(?:-[A-Z]\w*)+`,
    String.raw`[A-Za-z]+(?:_[A-Za-z]+)+`,
    String.raw`\{\}`,
  ].join('|')})`,
);

/** A text of the pages that has code in it, each piece of it whole on a line and left to right. */
export function withCodes(text: string, locale: Locale): ComponentChild[] {
  // split with a group: the codes are at odd indexes.
  return text
    .split(CODES)
    .flatMap((part, index) =>
      index % 2 === 0 ? isolated(part, locale) : [h('code', { dir: 'ltr' }, part)],
    );
}

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
