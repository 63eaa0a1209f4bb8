import { NAME_PART_MAX } from '../engine/people/people-file.ts';
import { joinName, type Gender, type PersonName } from '../engine/people/person.ts';
import type { Draws } from './draws.ts';
import { APOSTROPHE, ARAB, COMPOUND, HYPHEN, MARKS, type Names, type Word } from './vocabulary.ts';

/** What is hard about a name, and for how many of a thousand people. */
export const NAME_CASES = [
  ['plain', 900],
  ['long', 20],
  ['single', 20],
  ['apostrophe', 20],
  ['hyphen', 20],
  ['marks', 20],
] as const;
export type NameCase = (typeof NAME_CASES)[number][0];

/** Of each part of a very long name. */
const FEWEST_WORDS = 3;
const MOST_WORDS = 5;

export interface BothNames {
  readonly arabic: PersonName;
  readonly english: PersonName;
}

interface Parts {
  readonly first: Word;
  readonly second: Word | null;
  readonly third: Word | null;
  readonly last: Word | null;
}

/** The same name in both scripts: each part is one word, or the same words in the same order. */
export function drawName(
  draws: Draws,
  kind: NameCase,
  { gender, names }: { readonly gender: Gender; readonly names: Names },
): BothNames {
  const parts = partsOf(draws, kind, gender, names);
  return { arabic: inScript(parts, 0), english: inScript(parts, 1) };
}

function partsOf(draws: Draws, kind: NameCase, gender: Gender, names: Names): Parts {
  const usual = usualParts(draws, gender, names);
  if (kind === 'plain') return usual;
  if (kind === 'single') return { ...usual, second: null, third: null, last: null };
  if (kind === 'long') return longParts(draws, gender, names);
  const hard = { apostrophe: APOSTROPHE, hyphen: HYPHEN, marks: MARKS }[kind];
  const words = names === ARAB ? hard.arab : hard.other;
  // The hard word is the given name or the family's, so that both places are met.
  return draws.below(2) === 0
    ? { ...usual, first: given(draws, gender, words) }
    : { ...usual, last: draws.oneOf(words.families) };
}

/** Arabic names have those of the father and of his father; of others every second has two. */
function usualParts(draws: Draws, gender: Gender, names: Names): Parts {
  const first = given(draws, gender, names);
  const last = draws.oneOf(names.families);
  const [second, third] = [
    given(draws, names === ARAB ? 'M' : gender, names),
    draws.oneOf(names.men),
  ];
  if (names === ARAB) return { first, second, third, last };
  return { first, second: draws.below(2) === 0 ? second : null, third: null, last };
}

function longParts(draws: Draws, gender: Gender, names: Names): Parts {
  const isArab = names === ARAB;
  // The words of the others are short.
  const words = isArab ? FEWEST_WORDS + draws.below(MOST_WORDS - FEWEST_WORDS + 1) : MOST_WORDS;
  const many = (from: readonly Word[]) =>
    joined(Array.from({ length: words }, () => draws.oneOf(from)));
  const { men, women } = isArab ? COMPOUND : names;
  const own = gender === 'M' ? men : women;
  return {
    first: many(own),
    second: many(isArab ? men : own),
    third: isArab ? many(men) : null,
    last: many(names.families),
  };
}

/** As many of the words, from the first on, as a part of a name has room for. */
function joined(words: readonly Word[]): Word {
  return words.reduce(([arabic, latin], [nextArabic, nextLatin]) => {
    const longer = [`${arabic} ${nextArabic}`, `${latin} ${nextLatin}`] as const;
    return longer.every((text) => text.length <= NAME_PART_MAX) ? longer : [arabic, latin];
  });
}

function given(draws: Draws, gender: Gender, { men, women }: Omit<Names, 'families'>): Word {
  return draws.oneOf(gender === 'M' ? men : women);
}

function inScript({ first, second, third, last }: Parts, script: 0 | 1): PersonName {
  const parts = {
    first: first[script],
    second: second?.[script] ?? null,
    third: third?.[script] ?? null,
    last: last?.[script] ?? null,
  };
  return { full: joinName(parts), ...parts };
}
