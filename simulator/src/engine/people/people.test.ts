import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_PEOPLE } from './built-in-people.ts';
import { Directory } from './directory.ts';
import type { People } from './people.ts';
import type { Person } from './person.ts';

const [AMAL, ...OTHERS] = BUILT_IN_PEOPLE.all;
if (AMAL === undefined) throw new Error('nobody');
const IDS = ['faisal', 'yara', 'noor', 'zaid'];
const NUMBERS = ['1000002201', '1000003301', '1000012201', '1000013301'];

type Change =
  | { readonly id: string; readonly number: string; readonly isDefault: boolean }
  | { readonly removed: string };

const changes: fc.Arbitrary<Change[]> = fc.array<Change>(
  fc.oneof(
    fc.record({
      id: fc.constantFrom(...IDS),
      number: fc.constantFrom(...NUMBERS),
      isDefault: fc.boolean(),
    }),
    fc.record({ removed: fc.constantFrom(...IDS) }),
  ),
  { maxLength: 12 },
);

/** The model: a plain list, which each change copies. */
class Copied {
  all: readonly Person[] = BUILT_IN_PEOPLE.all;
  fallback: Person = BUILT_IN_PEOPLE.fallback;
}

function isTaken(model: Copied, id: string, number: string): boolean {
  return model.all.some((one) => one.nationalId === number && one.id !== id);
}

function apply(people: People, model: Copied, change: Change): People {
  if ('removed' in change) {
    if (change.removed === model.fallback.id) return people;
    model.all = model.all.filter(({ id }) => id !== change.removed);
    return people.without(change.removed);
  }
  const { id, number, isDefault } = change;
  const keeps = isDefault || model.fallback.id === id;
  if (isTaken(model, id, number)) return people;
  const person = { ...AMAL, id, nationalId: number } as Person;
  model.all = [...model.all.filter((one) => one.id !== id), person];
  if (keeps) model.fallback = person;
  return people.with(person, model.fallback);
}

const byId = (one: Person, other: Person) => (one.id < other.id ? -1 : 1);

describe('people who are changed', () => {
  it('are those of a list that each change copies, by every way to find them', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const model = new Copied();
        const people = all.reduce(
          (now: People, change) => apply(now, model, change),
          BUILT_IN_PEOPLE,
        );
        expect(people.all.toSorted(byId)).toEqual(model.all.toSorted(byId));
        expect([people.count, people.fallback]).toEqual([model.all.length, model.fallback]);
        expect(people.all[0]).toBe(model.fallback);
        for (const id of IDS) {
          expect(people.byId(id)).toBe(model.all.find((one) => one.id === id) ?? null);
        }
        for (const number of NUMBERS) {
          const owner = model.all.find(({ nationalId }) => nationalId === number) ?? null;
          expect(people.byNationalId(number)).toBe(owner);
        }
        const start = new Set(BUILT_IN_PEOPLE.all);
        expect(people.changes).toBe(model.all.filter((person) => !start.has(person)).length);
      }),
    );
  });

  it('are remembered when they are gone, by the number that nobody has any more', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const model = new Copied();
        let directory = new Directory(BUILT_IN_PEOPLE);
        const had = new Set(BUILT_IN_PEOPLE.all.map(({ nationalId }) => nationalId));
        for (const change of all) {
          directory = new Directory(apply(directory.people, model, change), directory);
          for (const { nationalId } of model.all) had.add(nationalId);
        }
        const has = new Set(model.all.map(({ nationalId }) => nationalId));
        for (const number of had) expect(directory.isFormer(number)).toBe(!has.has(number));
      }),
    );
  });
});

const idsOf = (search: string, after: string | null = null, limit = 100) =>
  BUILT_IN_PEOPLE.find({ search, after, limit })?.map(({ id }) => id);

describe('a search', () => {
  it.each([
    ['the id', 'FAISAL', ['faisal', 'yara']],
    ['the number, in other digits', '١٠٠٠٠٠١١٠١', ['amal']],
    ['a part of a name', 'specimen', ['siobhan']],
    ['an Arabic name, however it is written', 'أُسامة', []],
    ['a name without its marks', 'maire', ['siobhan']],
    ['the note', 'border number', ['hanae']],
  ])('finds people by %s', (_, search, ids) => {
    expect(idsOf(search)).toEqual(ids);
  });

  it('goes on after a person, and ends at the limit', () => {
    const all = BUILT_IN_PEOPLE.all.map(({ id }) => id);
    expect(idsOf('', null, 3)).toEqual(all.slice(0, 3));
    expect(idsOf('', 'yara', 3)).toEqual(all.slice(3, 6));
    expect(idsOf('', all.at(-1) ?? '')).toEqual([]);
    expect(idsOf('', 'nobody')).toBeUndefined();
  });

  it('finds who was added, and not who is gone', () => {
    const noor = { ...OTHERS[0], id: 'noor', nationalId: NUMBERS[2] } as Person;
    const people = BUILT_IN_PEOPLE.with(noor, BUILT_IN_PEOPLE.fallback).without('faisal');
    const found = people.find({ search: 'faisal', after: null, limit: 9 });
    expect(found?.map(({ id }) => id)).toEqual(['yara', 'noor']);
  });
});
