import { h, type JSX } from 'preact';
import { otherLocale, direction, type Locale } from './locale.ts';

/** The kinds of identity document that a test person can hold. */
export type DocumentKind = 'citizen' | 'resident' | 'visitor' | 'border';

/** An invented person of the simulator, as the pages show one. */
export type Person = {
  readonly id: string;
  readonly arabicName: string;
  readonly englishName: string;
  readonly kind: DocumentKind;
  readonly nationalId: string;
  readonly default: boolean;
};

type Named = Pick<Person, 'arabicName' | 'englishName'>;

/** Both names of a person: first in the page's language, the other one below. */
export function personNames(person: Named, locale: Locale): JSX.Element[] {
  return [
    personName(person, locale, 'person-name'),
    personName(person, otherLocale(locale), 'person-other-name'),
  ];
}

/** One name, marked with its language so that it is pronounced and rendered in that language. */
function personName(person: Named, language: Locale, className: string): JSX.Element {
  const name = language === 'ar' ? person.arabicName : person.englishName;
  // <bdi> isolates the name; the line keeps the alignment of the page.
  return h(
    'span',
    { class: className },
    h('bdi', { lang: language, dir: direction(language) }, name),
  );
}
