import { describe, expect, it } from 'vitest';
import { AMAL, makeEngine, REQUEST_ID } from '../../test/support/engines.ts';
import { START } from '../../test/support/fakes.ts';
import { actsOf } from './acts-of-prompt.ts';
import type { Entry } from './entry.ts';
import { Journal } from './journal.ts';

/** A prompt of a service that keeps its own: a decision can be known to its journal alone. */
const prompt = makeEngine().engine.promptOf({
  kind: 'push',
  requestId: REQUEST_ID,
  locale: 'en',
  nationalId: AMAL,
  bindingCode: '123456',
  service: 'Login',
  createdAt: START,
  expiresAt: START + 300_000,
  scenario: { scope: 'default', outcome: { key: 'approves_after_3s', afterMs: null } },
});

const SILENT = { headers: {}, body: null };

function called(name: string, seconds: number): Entry {
  const exchange = {
    method: 'POST',
    path: '/',
    status: 200,
    durationMs: 0,
    request: SILENT,
    response: SILENT,
  };
  return { at: START + seconds * 1000, side: 'area_a', name, exchange, act: null };
}

const decided = (decision: string, seconds: number): Entry => ({
  at: START + seconds * 1000,
  side: 'phone',
  name: 'decision',
  exchange: null,
  act: { decision, by: 'person' },
});

function journalOf(entries: readonly Entry[]): Journal {
  const journal = new Journal();
  for (const entry of entries) journal.record(REQUEST_ID, 'default', entry);
  return journal;
}

const recordedIn = (journal: Journal) => journal.entriesOf(REQUEST_ID, 'default').entries;

function look(journal: Journal, seconds: number): readonly string[] {
  const found = actsOf(prompt, recordedIn(journal), START + seconds * 1000);
  journal.recordActs(REQUEST_ID, 'default', found.acts, found.next);
  return recordedIn(journal).map(({ entry: { name, act } }) =>
    act === null ? name : `${name} by ${act.by}`,
  );
}

const namesOf = (entries: readonly Entry[], seconds: number) => look(journalOf(entries), seconds);

const START_CALL = called('startAttempt', 0);

describe('the acts of a phone in a time line', () => {
  it('are the prompt after its start, and the end of an outcome when its time has come', () => {
    const polls = [called('readStatus', 2), called('readStatus', 4)];
    expect(namesOf([START_CALL, ...polls.slice(0, 1)], 2)).toEqual([
      'startAttempt',
      'prompt',
      'readStatus',
    ]);
    expect(namesOf([START_CALL, ...polls], 5)).toEqual([
      'startAttempt',
      'prompt',
      'readStatus',
      'decision by outcome',
      'readStatus',
    ]);
  });

  it.each([
    ['a person', decided('refuse', 1), 'decision by person'],
    ['a call for tests', called('completeMfa', 1), 'completeMfa'],
  ])('have no end of an outcome after %s has decided', (_what, entry, name) => {
    expect(namesOf([START_CALL, entry], 60)).toEqual(['startAttempt', 'prompt', name]);
  });

  it('have it where what came later was no decision, or came later', () => {
    expect(namesOf([START_CALL, decided('refuse', 10)], 60)).toEqual([
      'startAttempt',
      'prompt',
      'decision by outcome',
      'decision by person',
    ]);
  });
});

describe('an act that is recorded', () => {
  it('is there once, and nobody else has another number then', () => {
    const journal = journalOf([START_CALL, called('readStatus', 2)]);
    expect(look(journal, 2)).toHaveLength(3);
    expect(journal.nextActOf(REQUEST_ID, 'default')).toBe(START + 3000);
    const numbers = new Map(recordedIn(journal).map(({ number, entry }) => [number, entry]));
    journal.record(REQUEST_ID, 'default', called('readStatus', 4));
    look(journal, 5);
    expect(look(journal, 6)).toEqual([
      'startAttempt',
      'prompt',
      'readStatus',
      'decision by outcome',
      'readStatus',
    ]);
    const after = new Map(recordedIn(journal).map(({ number, entry }) => [number, entry]));
    for (const [number, entry] of numbers) expect(after.get(number)).toBe(entry);
    expect(new Set(after.keys())).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(journal.nextActOf(REQUEST_ID, 'default')).toBe(Number.POSITIVE_INFINITY);
  });
});

const BACK = 'http://app.test/?attempt_id=x&error=access_denied';
const TAKEN = { status: 200, headers: { refresh: `0;url=${BACK}` } };
const REDIRECTED = { status: 303, headers: { location: BACK } };
const REFUSED = { status: 403, headers: {} };

function posted({
  status,
  headers: answered,
}: typeof TAKEN | typeof REFUSED | typeof REDIRECTED): Entry {
  const { exchange, ...call } = called('callback', 1);
  if (exchange === null) throw new Error('a call has an exchange');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = { headers, body: 'state=x&person=amal&decision=refuse' };
  return {
    ...call,
    exchange: { ...exchange, status, request, response: { headers: answered, body: null } },
  };
}

describe('the decision on a sign-in page of the service', () => {
  it('stands before the answer that sends the browser back', () => {
    const journal = journalOf([called('launch', 1), posted(TAKEN)]);
    const found = actsOf(null, recordedIn(journal), START);
    journal.recordActs(REQUEST_ID, 'default', found.acts, found.next);
    expect(recordedIn(journal).map(({ entry }) => entry.name)).toEqual([
      'launch',
      'decision',
      'callback',
    ]);
  });

  it('follows its form, if that was taken', () => {
    const [taken, redirected, refused] = [TAKEN, REDIRECTED, REFUSED].map((answered) =>
      actsOf(null, recordedIn(journalOf([posted(answered)])), START),
    );
    expect(taken?.acts[0]).toMatchObject({
      entry: { side: 'browser', name: 'decision', act: { decision: 'refuse', by: 'person' } },
    });
    expect(redirected?.acts).toEqual(taken?.acts);
    expect(refused?.acts).toEqual([]);
  });
});
