import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_PEOPLE } from '../engine/people/built-in-people.ts';
import { documentsFor, isReserved } from '../engine/people/national-id.ts';
import { parsePeople, peopleFrom, type PersonRow } from '../engine/people/people-file.ts';
import { NAME_CASES, type NameCase } from './names.ts';
import { peopleFile, population } from './population.ts';
import * as vocabulary from './vocabulary.ts';

const COUNT = 20_000;
const rows = [...population({ count: COUNT, seed: 7 })];

/** Whether the number has the checksum that real identifiers of this form have. */
function passesChecksum(digits: string): boolean {
  const doubled = Array.from(digits, (digit, index) => Number(digit) * (index % 2 === 0 ? 2 : 1));
  const sum = doubled.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
}

const shareOf = (holds: (row: PersonRow) => boolean) => rows.filter(holds).length / COUNT;

const ageOf = ({ birth_date: day }: PersonRow) => 2025 - Number(day.slice(0, 4));

/** Within four standard deviations: a seed of which that is wrong would be one of 16,000. */
function expectShare(share: number, thousandths: number): void {
  const wanted = thousandths / 1000;
  const deviation = Math.sqrt((wanted * (1 - wanted)) / COUNT);
  expect(Math.abs(share - wanted)).toBeLessThan(4 * deviation);
}

describe('the people of a seed', () => {
  it('are the same ones always: the file of 10,000 people of seed 7', () => {
    const hash = createHash('sha256');
    for (const piece of peopleFile({ count: 10_000, seed: 7 })) hash.update(piece);
    expect(hash.digest('hex')).toBe(
      '33d64ddcf2cc2402b91265689033a14bc432b9bd6a917328e166c56ff292a7dc',
    );
  });

  it('are the beginning of a larger population, and no one of another seed', () => {
    expect([...population({ count: 50, seed: 7 })]).toEqual(rows.slice(0, 50));
    const numbers = new Set(rows.map((row) => row.national_id));
    const others = [...population({ count: 50, seed: 8 })];
    expect(others.map(({ english_name: { full } }) => full)).not.toEqual(
      rows.slice(0, 50).map(({ english_name: { full } }) => full),
    );
    expect(others.every((row) => !numbers.has(row.national_id))).toBe(true);
  });

  it.each([0, 4_294_967_295])('seed %i has people too', (seed) => {
    const few = [...population({ count: 200, seed })];
    expect(new Set(few.map((row) => row.national_id)).size).toBe(200);
  });
});

describe('the file', () => {
  it.each([1, 499, 500, 501, 1000])('of %i people is a people file with one default', (count) => {
    const text = [...peopleFile({ count, seed: 7 })].join('');
    const people = parsePeople(text);
    expect([people.count, people.fallback.id]).toEqual([count, 'person-1']);
    expect(text.split('\n')).toHaveLength(count + 3);
  });

  it('has everything that a people file may have, and nothing that it may not', () => {
    const [first, ...others] = rows;
    expect(peopleFrom({ people: [{ ...first, default: true }, ...others] }).count).toBe(COUNT);
  });
});

describe('a national id', () => {
  it('is nobody’s: its checksum is wrong, and no reserved or test person has one like it', () => {
    const ofTests = new Set(BUILT_IN_PEOPLE.all.map(({ nationalId }) => nationalId));
    for (const { national_id: id } of rows) {
      expect(passesChecksum(id), id).toBe(false);
      expect(id).toMatch(/^[1-4][1-8]\d{8}$/);
      expect(isReserved(id) || ofTests.has(id)).toBe(false);
    }
  });

  it('is of the register of its document', () => {
    for (const { national_id: id, document_type: document } of rows) {
      expect(documentsFor(id)).toContain(document);
    }
  });

  it('is of one person, and so are the id and the address', () => {
    for (const member of ['national_id', 'id', 'email'] as const) {
      expect(new Set(rows.map((row) => row[member])).size).toBe(COUNT);
    }
  });
});

const NOTE: Readonly<Record<NameCase, string>> = {
  plain: '',
  long: 'very long name',
  single: 'single-word name',
  apostrophe: 'apostrophe in the name',
  hyphen: 'hyphen in the name',
  marks: 'combining marks in the name',
};

const HAS: Readonly<Record<Exclude<NameCase, 'plain'>, (row: PersonRow) => boolean>> = {
  long: ({ english_name: { full } }) => full.length > 60,
  single: ({ english_name, arabic_name }) =>
    english_name.last === null && arabic_name.full === arabic_name.first,
  apostrophe: ({ english_name: { full } }) => /['’]/.test(full),
  hyphen: ({ english_name: { full } }) => full.includes('-'),
  marks: ({ english_name, arabic_name }) => /\p{M}/u.test(english_name.full + arabic_name.full),
};

describe('hard names', () => {
  it.each(NAME_CASES)('%s: as many as is said, and each is one', (kind, thousandths) => {
    const noted = rows.filter(({ about }) => (about.split('; ')[1] ?? '') === NOTE[kind]);
    expectShare(noted.length / COUNT, thousandths);
    if (kind !== 'plain') expect(noted.filter((row) => !HAS[kind](row))).toEqual([]);
  });

  it('reach the longest that the schema has room for, in each part', () => {
    const longest = (part: 'first' | 'last') =>
      Math.max(...rows.map((row) => row.english_name[part]?.length ?? 0));
    expect(longest('first')).toBeGreaterThan(54);
    expect(longest('last')).toBeGreaterThan(54);
    expect(Math.max(...rows.map((row) => row.english_name.full.length))).toBeGreaterThan(210);
  });
});

/** Each word of the vocabulary, in Latin letters, with all that it is in Arabic. */
function dictionary(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const words = (value: unknown): void => {
    if (!Array.isArray(value)) {
      for (const one of Object.values(value as object)) words(one);
      return;
    }
    for (const [arabic, latin] of value as ReadonlyArray<readonly [string, string]>) {
      found.set(latin, (found.get(latin) ?? new Set()).add(arabic));
    }
  };
  words({ ...vocabulary });
  return found;
}

/** Whether the Arabic text is the Latin one word by word. */
function isSame(
  arabic: string,
  latin: readonly string[],
  known: ReturnType<typeof dictionary>,
): boolean {
  const [word = '', ...rest] = latin;
  return [...(known.get(word) ?? [])].some((one) =>
    rest.length === 0
      ? one === arabic
      : arabic.startsWith(`${one} `) && isSame(arabic.slice(one.length + 1), rest, known),
  );
}

describe('a name', () => {
  it('is the same in both scripts, part by part, and no part is empty', () => {
    const known = dictionary();
    for (const { id, arabic_name: arabic, english_name: english } of rows) {
      for (const part of ['first', 'second', 'third', 'last'] as const) {
        const [one, other] = [arabic[part], english[part]];
        if (one === null || other === null) expect([one, other], id).toEqual([null, null]);
        else expect(isSame(one, other.split(' '), known), `${one} ${other}`).toBe(true);
      }
      expect(arabic.first.trim() && english.first.trim()).not.toBe('');
    }
  });

  it('has Arabic letters in one script, and none in the other', () => {
    for (const { arabic_name: arabic, english_name: english } of rows) {
      expect(arabic.full).toMatch(/^[\p{Script=Arabic}\p{M} -]+$/u);
      expect(english.full).toMatch(/^[\p{Script=Latin}\p{M} '’-]+$/u);
    }
  });
});

describe('an age', () => {
  it('is one of a living person, and the days are days', () => {
    const ages = rows.map(ageOf);
    expect([Math.min(...ages), Math.max(...ages)]).toEqual([1, 110]);
  });

  it('is that of a minor as often as is said, who is one for four years more', () => {
    expectShare(
      shareOf((row) => ageOf(row) < 18),
      150,
    );
    expect(rows.filter((row) => ageOf(row) < 18 && ageOf(row) > 13)).toEqual([]);
    for (const row of rows) expect(/, (?:boy|girl)/.test(row.about)).toBe(ageOf(row) < 18);
  });

  it('is over 89 as often as is said', () => {
    expectShare(
      shareOf((row) => ageOf(row) > 89),
      5,
    );
  });
});

it('registers are as often as is said', () => {
  for (const [document, thousandths] of [
    ['nin', 700],
    ['iqama', 250],
    ['visa', 30],
    ['border', 20],
  ] as const) {
    expectShare(
      shareOf((row) => row.document_type === document),
      thousandths,
    );
  }
});
