import { describe, expect, it } from 'vitest';
import type { Entry, Exchange } from './entry.ts';
import { ENTRY_CHARACTERS, Journal, JOURNAL_LIMITS } from './journal.ts';

const AT = Date.UTC(2026, 0, 31, 9);
const SILENT = { headers: {}, body: null };
const EXCHANGE: Exchange = {
  method: 'GET',
  path: '',
  status: 200,
  durationMs: 1,
  request: SILENT,
  response: SILENT,
};

const act = (name: string, at = AT): Entry => ({
  at,
  side: 'phone',
  name,
  exchange: null,
  act: { decision: name, by: 'person' },
});

const answer = (body: unknown): Entry => ({
  ...act('readStatus'),
  side: 'area_a',
  exchange: { ...EXCHANGE, response: { headers: {}, body } },
  act: null,
});

const namesOf = (journal: Journal, id = 'a', scope = 'default') =>
  journal.entriesOf(id, scope).entries.map(({ number, entry }) => `${number} ${entry.name}`);

function recordMany(journal: Journal, count: number): void {
  for (let number = 1; number <= count; number += 1) {
    journal.record('a', 'default', act(`${number}`));
  }
}

describe('the journal', () => {
  it('has what happened to an attempt, in the order in which it began', () => {
    const journal = new Journal();
    journal.record('a', 'default', act('second', AT + 5));
    journal.record('a', 'default', act('first', AT));
    expect(namesOf(journal)).toEqual(['1 first', '2 second']);
  });

  it('puts an exchange before what happened during it, at the same time of the clock', () => {
    const journal = new Journal();
    const begun = journal.turn();
    journal.record('a', 'default', act('session'));
    journal.record('a', 'default', act('startAttempt'), begun);
    expect(namesOf(journal)).toEqual(['1 startAttempt', '2 session']);
  });

  it('knows an id in its scope alone', () => {
    const journal = new Journal();
    journal.record('a', 'mine', act('prompt'));
    expect(journal.entriesOf('a', 'other')).toEqual({ entries: [], count: 0 });
    expect([journal.countOf('a', 'other'), journal.countOf('a', 'mine')]).toEqual([0, 1]);
  });

  it('says which attempts something has happened to since a turn, newest first', () => {
    const journal = new Journal();
    journal.record('a', 'default', act('prompt'));
    journal.record('b', 'default', act('prompt'));
    const turn = journal.turn();
    expect(journal.touchedSince('default', 0)).toEqual(['b', 'a']);
    expect(journal.touchedSince('default', turn)).toEqual([]);
    journal.record('a', 'default', act('decision'));
    expect(journal.touchedSince('default', turn)).toEqual(['a']);
    expect(journal.touchedSince('other', 0)).toEqual([]);
  });

  it('drops all of a scope, and nothing of another', () => {
    const journal = new Journal();
    journal.record('a', 'mine', act('prompt'));
    journal.record('a', 'other', act('prompt'));
    journal.reset('mine');
    expect([journal.countOf('a', 'mine'), journal.countOf('a', 'other')]).toEqual([0, 1]);
  });
});

describe('the bounds of the journal', () => {
  it(`keeps the newest ${JOURNAL_LIMITS.attempts} attempts`, () => {
    const journal = new Journal();
    for (let id = 0; id <= JOURNAL_LIMITS.attempts; id += 1) {
      journal.record(String(id), 'default', act('prompt'));
    }
    expect(journal.touchedSince('default', 0)).toHaveLength(JOURNAL_LIMITS.attempts);
    expect([journal.countOf('0', 'default'), journal.countOf('1', 'default')]).toEqual([0, 1]);
  });

  it('gives up the oldest of the scope that has most, and nothing of another', () => {
    const journal = new Journal({ ...JOURNAL_LIMITS, attempts: 10 });
    journal.record('mine', 'quiet', act('prompt'));
    for (let id = 0; id < 100; id += 1) journal.record(String(id), 'loud', act('prompt'));
    expect(journal.idsOf('quiet')).toEqual(['mine']);
    expect(journal.idsOf('loud')).toHaveLength(9);
    expect([journal.countOf('90', 'loud'), journal.countOf('91', 'loud')]).toEqual([0, 1]);
    journal.reset('loud');
    for (let id = 0; id < 100; id += 1) journal.record('one', `scope-${id}`, act('prompt'));
    expect(journal.countOf('one', 'scope-99')).toBe(1);
  });

  it('gives up texts of the scope that has most of them', () => {
    const characters = 5 * (1000 + ENTRY_CHARACTERS);
    const journal = new Journal({ ...JOURNAL_LIMITS, characters });
    journal.record('mine', 'quiet', answer('x'.repeat(1000)));
    for (let id = 0; id < 20; id += 1) {
      journal.record(String(id), 'loud', answer('x'.repeat(1000)));
    }
    expect([journal.idsOf('quiet'), journal.idsOf('loud')]).toEqual([
      ['mine'],
      ['19', '18', '17', '16'],
    ]);
  });

  it('keeps the first entries of an attempt and its newest, and counts them all', () => {
    const journal = new Journal();
    recordMany(journal, JOURNAL_LIMITS.entries + 30);
    const { entries, count } = journal.entriesOf('a', 'default');
    expect([entries.length, count]).toEqual([JOURNAL_LIMITS.entries, JOURNAL_LIMITS.entries + 30]);
    // Each has the number of its turn: what is left out leaves a gap.
    expect(entries.map(({ number }) => String(number))).toEqual(
      entries.map(({ entry }) => entry.name),
    );
    expect(entries.map(({ number }) => number).slice(48, 52)).toEqual([49, 50, 81, 82]);
  });

  it('keeps what a phone has done with the first entries', () => {
    const journal = new Journal();
    recordMany(journal, JOURNAL_LIMITS.entries + 30);
    const acts = ['prompt', 'decision'].map((name) => ({ entry: act(name), begun: 0 }));
    journal.recordActs('a', 'default', acts, Number.POSITIVE_INFINITY);
    recordMany(journal, JOURNAL_LIMITS.entries);
    const { entries } = journal.entriesOf('a', 'default');
    expect(entries).toHaveLength(JOURNAL_LIMITS.entries);
    const numbers = entries.map(({ number }) => number);
    expect(numbers.slice(0, 3)).toEqual([1, 2, 3]);
    // The two acts and the first fifty stay, and the newest ones have the last numbers.
    expect(numbers.slice(51, 54)).toEqual([52, 285, 286]);
    expect(numbers.at(-1)).toBe(432);
  });

  it('knows no phone of an attempt that it does not know', () => {
    const journal = new Journal();
    journal.recordActs('a', 'default', [{ entry: act('prompt'), begun: 0 }], AT);
    expect(journal.countOf('a', 'default')).toBe(0);
    expect(journal.nextActOf('a', 'default')).toBe(Number.POSITIVE_INFINITY);
  });

  it('drops the oldest attempts when the texts are too many together', () => {
    const characters = 2 * (1000 + ENTRY_CHARACTERS);
    const journal = new Journal({ ...JOURNAL_LIMITS, characters });
    for (const id of ['a', 'b', 'c']) journal.record(id, 'default', answer('x'.repeat(1000)));
    expect(journal.touchedSince('default', 0)).toEqual(['c', 'b']);
    // What was dropped is not counted any more.
    journal.reset('default');
    for (const id of ['d', 'e']) journal.record(id, 'default', answer('x'.repeat(1000)));
    expect(journal.touchedSince('default', 0)).toEqual(['e', 'd']);
  });

  it('counts no entry that it has left out', () => {
    const characters = 60 * ENTRY_CHARACTERS;
    const journal = new Journal({ ...JOURNAL_LIMITS, entries: 10, firstEntries: 5, characters });
    journal.record('b', 'default', act('prompt'));
    recordMany(journal, 500);
    expect(journal.countOf('b', 'default')).toBe(1);
  });

  it('counts the texts of bodies, parsed or not', () => {
    const characters = ENTRY_CHARACTERS + 1000;
    for (const body of ['x'.repeat(1001), { member: ['x'.repeat(1000)] }]) {
      const journal = new Journal({ ...JOURNAL_LIMITS, characters });
      journal.record('a', 'default', act('prompt'));
      journal.record('b', 'default', answer(body));
      expect(journal.touchedSince('default', 0)).toEqual(['b']);
    }
  });

  it('counts every value of a body, at any depth', () => {
    const empty = Array.from({ length: 1000 }, () => ({}));
    let deep: unknown = {};
    for (let depth = 0; depth < 1000; depth += 1) deep = [deep];
    for (const body of [empty, deep]) {
      const journal = new Journal({ ...JOURNAL_LIMITS, characters: 32_000 });
      journal.record('a', 'default', act('prompt'));
      journal.record('b', 'default', answer(body));
      expect(journal.idsOf('default')).toEqual(['b']);
    }
  });

  it('keeps an entry that is too long without its bodies', () => {
    const journal = new Journal();
    journal.record('a', 'default', answer('x'.repeat(JOURNAL_LIMITS.entryCharacters + 1)));
    const [found] = journal.entriesOf('a', 'default').entries;
    expect(found?.entry.exchange?.response.body).toBe(
      `[${JOURNAL_LIMITS.entryCharacters + 1} characters]`,
    );
    expect(found?.entry.exchange?.request.body).toBeNull();
  });
});
