import { describe, expect, it } from 'vitest';
import { AMAL, makeEngine, REQUEST_ID } from '../../test/support/engines.ts';
import { START } from '../../test/support/fakes.ts';
import { withActsOf } from './acts-of-prompt.ts';
import type { Entry } from './entry.ts';

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

const namesOf = (entries: readonly Entry[], seconds: number) => {
  const recorded = entries.map((entry, index) => ({ number: index + 1, entry }));
  const found = withActsOf(prompt, recorded, START + seconds * 1000);
  expect(found.map(({ number }) => number)).toEqual(found.map((_, index) => index + 1));
  return found.map(({ entry: { name, act } }) => (act === null ? name : `${name} by ${act.by}`));
};

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

function posted(status: number): Entry {
  const { exchange, ...call } = called('callback', 1);
  if (exchange === null) throw new Error('a call has an exchange');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = { headers, body: 'state=x&person=amal&decision=refuse' };
  return { ...call, exchange: { ...exchange, status, request } };
}

describe('the decision on a sign-in page of the service', () => {
  it('follows its form, if that was taken', () => {
    const [taken, refused] = [303, 403].map((status) =>
      withActsOf(null, [{ number: 1, entry: posted(status) }], START),
    );
    expect(taken?.[1]).toMatchObject({
      number: 2,
      entry: { side: 'browser', name: 'decision', act: { decision: 'refuse', by: 'person' } },
    });
    expect(refused).toHaveLength(1);
  });
});
