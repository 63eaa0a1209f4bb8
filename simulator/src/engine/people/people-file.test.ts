import { describe, expect, it } from 'vitest';
import cast from '../../../people.json' with { type: 'json' };
import { BUILT_IN_PEOPLE } from './built-in-people.ts';
import { documentsFor, isReserved, NATIONAL_ID_PATTERN, outcomeId } from './national-id.ts';
import { parsePeople, PeopleError, peopleFrom, personRow } from './people-file.ts';

const rows = BUILT_IN_PEOPLE.all.map((person) => personRow(person, BUILT_IN_PEOPLE));

function faultsOf(changed: unknown): readonly string[] {
  try {
    peopleFrom({ people: changed });
    return [];
  } catch (error) {
    if (error instanceof PeopleError) return error.faults;
    throw error;
  }
}

/** The test people with one person changed. */
function withFirst(change: Record<string, unknown>): unknown[] {
  return [{ ...rows[0], ...change }, ...rows.slice(1)];
}

/** Whether the number has the checksum that real identifiers of this form have. */
function passesChecksum(digits: string): boolean {
  const doubled = Array.from(digits, (digit, index) => Number(digit) * (index % 2 === 0 ? 2 : 1));
  const sum = doubled.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
}

describe('a string that is no text', () => {
  it.each(['a\0b', '\ud800'])('%j makes a people file unusable', (wrong) => {
    const name = { full: wrong, first: wrong, second: null, third: null, last: null };
    const changes = [{ about: wrong }, { english_name: name }, { email: `${wrong}@example.test` }];
    for (const change of changes) {
      const places = faultsOf(withFirst(change)).map((fault) => fault.split(':', 1)[0]);
      expect(places).toContain(
        `/people/0/${Object.keys(change)[0]}${'english_name' in change ? '/full' : ''}`,
      );
    }
  });
});

describe('the built-in cast', () => {
  it('has the form of a people file', () => {
    expect(peopleFrom(cast)).toEqual(BUILT_IN_PEOPLE);
  });

  it('is small, and has one default person who is an adult citizen', () => {
    expect(rows.length).toBeGreaterThanOrEqual(8);
    expect(rows.length).toBeLessThanOrEqual(10);
    expect(BUILT_IN_PEOPLE.fallback).toMatchObject({ id: 'amal', documentType: 'nin' });
    expect(rows.filter((row) => row.default)).toHaveLength(1);
  });

  it('covers every document type, both genders, minors, single names and apostrophes', () => {
    expect(new Set(rows.map((row) => row.document_type))).toEqual(
      new Set(['nin', 'iqama', 'visa', 'border']),
    );
    expect(new Set(rows.map((row) => row.gender))).toEqual(new Set(['M', 'F']));
    expect(new Set(rows.map((row) => row.preferred_locale))).toEqual(new Set(['ar', 'en']));
    expect(rows.some((row) => row.birth_date > '2010')).toBe(true);
    expect(rows.some((row) => row.english_name.last === null)).toBe(true);
    expect(rows.some((row) => row.english_name.full.includes("'"))).toBe(true);
    expect(rows.some((row) => row.english_name.full.length > 60)).toBe(true);
  });

  it('uses numbers that can belong to nobody, and addresses that reach nobody', () => {
    for (const { national_id: nationalId, email } of rows) {
      expect(nationalId).toMatch(new RegExp(NATIONAL_ID_PATTERN));
      expect(passesChecksum(nationalId)).toBe(false);
      expect(isReserved(nationalId)).toBe(false);
      expect(email).toMatch(/@example\.test$/);
    }
  });

  it('comes back as it was from what the control API shows', () => {
    expect(peopleFrom({ people: rows })).toEqual(BUILT_IN_PEOPLE);
  });
});

describe('parsePeople', () => {
  it('takes a file of the same form', () => {
    const people = parsePeople(JSON.stringify({ people: [rows[0]] }));
    expect(people.all.map((person) => person.id)).toEqual(['amal']);
  });

  it.each([
    ['a broken text', '{"people": ['],
    ['nobody', '{"people": []}'],
    ['no list', '{}'],
    ['an extra member', '{"people": [], "persons": []}'],
  ])('refuses %s', (_what, text) => {
    expect(() => parsePeople(text)).toThrow(PeopleError);
  });

  it('says where a text stops being JSON, and what to correct', () => {
    expect(() => parsePeople('{"people": [\n{},\n]}')).toThrow(
      'line 2, column 3: a comma before ]',
    );
  });

  it('says where a member does not fit', () => {
    expect(faultsOf(withFirst({ gender: 'X' })).join()).toContain('/people/0/gender');
    expect(faultsOf(withFirst({ nickname: 'x' })).join()).toContain('/people/0');
  });

  it.each([
    ['1999999999 as anybody’s number', { national_id: '1999999999' }, 'is reserved'],
    ['an outcome’s number', { national_id: outcomeId(99) }, 'is reserved'],
    ['an outcome’s name', { id: 'outcome-01' }, 'outcome-'],
    ['a resident’s number on a citizen’s document', { national_id: '2000001101' }, 'nin number'],
    ['a number of no known document', { national_id: '9000001101' }, 'nin number'],
    ['a day that no calendar has', { birth_date: '2023-02-30' }, 'is not a day'],
    ['no default person', { default: false }, 'exactly one person'],
    ['a number twice', { national_id: rows[1]?.national_id }, 'is there twice'],
    ['an id twice', { id: rows[1]?.id }, 'is there twice'],
  ])('refuses %s', (_what, change, fault) => {
    expect(faultsOf(withFirst(change)).join()).toContain(fault);
  });

  it('refuses a whole name that is not its parts', () => {
    const name = { full: 'Amal', first: 'Amal', second: null, third: null, last: 'Else' };
    expect(faultsOf(withFirst({ english_name: name })).join()).toContain('english_name/full');
    expect(faultsOf(withFirst({ arabic_name: name })).join()).toContain('arabic_name/full');
  });

  it('refuses two default people and lists every fault at once', () => {
    const faults = faultsOf(
      rows.map((row) => ({ ...row, default: true, birth_date: '2023-13-01' })),
    );
    expect(faults.length).toBe(rows.length + 1);
  });
});

describe('documentsFor', () => {
  it.each([
    ['1', ['nin']],
    ['2', ['iqama']],
    ['3', ['visa', 'border']],
    ['6', ['visa', 'border']],
    ['9', []],
  ])('knows what a number beginning with %s stands on', (digit, documents) => {
    expect(documentsFor(`${digit}000000000`)).toEqual(documents);
  });
});
