import type { ComponentChildren, JSX } from 'preact';
import { page } from '../page.ts';

/** Codes, addresses and header lines: printable ASCII from a letter, a slash, a brace or a digit on. */
const LATIN_RUN = /([A-Za-z/{"][\x21-\x7e]*(?: [\x21-\x7e]+)*)/;
const SENTENCE_END = /[.:;,)]+$/;

/** A text of the simulator in the page's language. Its Latin parts keep their own direction. */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  return <>{page.locale === 'ar' ? text.split(LATIN_RUN).map(piece) : text}</>;
}

/** Split with a group: Latin runs are at odd places. */
function piece(part: string, place: number): ComponentChildren {
  if (place % 2 === 0) return part;
  const end = SENTENCE_END.exec(part)?.[0] ?? '';
  return [
    <bdi key={place} dir="ltr">
      {part.slice(0, part.length - end.length)}
    </bdi>,
    end,
  ];
}
