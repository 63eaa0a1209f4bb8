/** POST /simulator/attempts/{id}/replay: what the service is asked to start. */
import type { FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { Journal } from '../src/journal/journal.ts';
import type { Entry } from '../src/journal/entry.ts';
import type { HostedAttempts, ReplayChoice, ReplayResult, ReplaySource } from '../src/hosted.ts';
import { makeApp, pushCall } from './support/apps.ts';
import { AMAL, REQUEST_ID } from './support/engines.ts';
import { outcomeId } from '../src/engine/people/national-id.ts';

const AT = Date.UTC(2026, 0, 31, 9);
const SECRET = 'x'.repeat(64);
const ATTEMPT = {
  id: REQUEST_ID,
  flow: 'mfa',
  state: 'rejected',
  reason: null,
  scope: 'default',
  client: { ar: 'shop', en: 'shop' },
  service: null,
  createdAt: AT,
  expiresAt: AT + 300_000,
  nationalId: AMAL,
};

function startEntry(nationalId = AMAL, headers = {}): Entry {
  const exchange = {
    method: 'POST',
    path: '/api/v1/start',
    status: 200,
    durationMs: 1,
    request: { headers, body: { national_id: nationalId, locale: 'ar' } },
    response: { headers: {}, body: JSON.stringify({ data: { attempt_token: SECRET } }) },
  };
  return { at: AT, side: 'area_a', name: 'startAttempt', exchange, act: null };
}

function decision(name: string, seconds: number, by: 'person' | 'outcome' = 'person'): Entry {
  const act = { decision: name, by };
  return { at: AT + seconds * 1000, side: 'phone', name: 'decision', exchange: null, act };
}

const STARTED: ReplayResult = { ok: true, started: { attempt_id: 'new' }, headers: {} };

function watched(entries: readonly Entry[], result: ReplayResult = STARTED) {
  const journal = new Journal();
  for (const entry of entries) journal.record(REQUEST_ID, 'default', entry);
  const asked: (ReplaySource & ReplayChoice)[] = [];
  const attempts: HostedAttempts = {
    list: () => Promise.resolve([ATTEMPT]),
    find: (id, scope) => Promise.resolve(id === REQUEST_ID && scope === 'default' ? ATTEMPT : null),
    stateOf: () => Promise.resolve('rejected'),
    isKey: () => true,
    originOf: () => Promise.resolve({ application: null, place: null }),
    replay: (source, choice) =>
      Promise.resolve(void asked.push({ ...source, ...choice })).then(() => result),
  };
  const { app } = makeApp({ journal, attempts });
  const replay = (id = REQUEST_ID, headers = {}) =>
    app.inject({ method: 'POST', url: `/simulator/attempts/${id}/replay`, headers });
  return { app, asked, replay };
}

/** Exports the attempt, imports the file, and gives the id that it has then. */
async function importOf(app: FastifyInstance, headers: Record<string, string>): Promise<string> {
  const file = (await app.inject(`/simulator/attempts/${REQUEST_ID}/export`)).json<object>();
  const call = { method: 'POST', url: '/simulator/import', payload: file, headers } as const;
  return (await app.inject(call)).json<{ data: { id: string } }>().data.id;
}

describe('POST /simulator/attempts/{id}/replay', () => {
  it('starts the same with the same application and person, and tells what was answered', async () => {
    const { asked, replay } = watched([startEntry(), decision('refuse', 7)]);
    const answer = await replay();
    expect([answer.statusCode, answer.json()]).toEqual([201, { data: { attempt_id: 'new' } }]);
    expect(asked).toEqual([
      { attemptId: REQUEST_ID, scope: 'default', outcome: 'refuses;after=7' },
    ]);
  });

  it.each([
    ['an approval', [startEntry(), decision('approve', 3)], 'approves_at_once;after=3'],
    ['a report', [startEntry(), decision('not_me', 0)], 'not_me;after=0'],
    ['the wrong number', [startEntry(), decision('wrong_number', 400)], 'wrong_number;after=300'],
    ['nothing', [startEntry()], null],
    ['a prompt that was ignored', [startEntry(), decision('ignore', 2)], 'never_answers'],
    [
      'a header',
      [startEntry(AMAL, { 'x-simulate': 'token_late' }), decision('approve', 0, 'outcome')],
      'token_late',
    ],
    ['a reserved number', [startEntry(outcomeId(4)), decision('refuse', 0, 'outcome')], null],
    ['the queue', [startEntry(), decision('refuse', 2, 'outcome')], 'refuses;after=2'],
  ] as const)('has what decided decide again: %s', async (_what, entries, outcome) => {
    const { asked, replay } = watched(entries);
    await replay();
    expect(asked).toMatchObject([{ outcome }]);
  });

  it('says why the service has refused', async () => {
    const { replay } = watched([startEntry()], {
      ok: false,
      reason: 'client.unknown',
      headers: { 'retry-after': '7' },
    });
    const answer = await replay();
    expect(answer.headers['retry-after']).toBe('7');
    expect([answer.statusCode, answer.json()]).toMatchObject([
      409,
      {
        code: 'replay.refused',
        message: expect.stringContaining('client.unknown') as string,
      },
    ]);
  });

  it('is of an attempt whose start nobody has seen, if the service has it', async () => {
    const own = watched([]);
    expect((await own.replay()).statusCode).toBe(201);
    expect(own.asked).toEqual([{ attemptId: REQUEST_ID, scope: 'default', outcome: null }]);
  });

  it('is of no file without a start', async () => {
    const { app, asked, replay } = watched([decision('approve', 1)]);
    const answer = await replay(await importOf(app, {}));
    expect([answer.statusCode, answer.json()]).toMatchObject([409, { code: 'replay.refused' }]);
    expect(asked).toEqual([]);
  });

  it('has no attempt of another scope', async () => {
    const { asked, replay } = watched([startEntry()]);
    const answer = await replay(REQUEST_ID, { 'x-miftah-scope': 'other' });
    expect([answer.statusCode, answer.json()]).toMatchObject([404, { code: 'attempt.not_found' }]);
    expect(asked).toEqual([]);
  });

  it('is of a file too, in the scope of who has imported it', async () => {
    const { app, asked, replay } = watched([startEntry(), decision('refuse', 7)]);
    const headers = { 'x-miftah-scope': 'other' };
    expect((await replay(await importOf(app, headers), headers)).statusCode).toBe(201);
    expect(asked).toMatchObject([
      { scope: 'other', body: { national_id: AMAL, locale: 'ar' }, outcome: 'refuses;after=7' },
    ]);
  });

  it('is with the service, in a simulator that stands alone', async () => {
    const { app } = makeApp();
    await app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
    const url = `/simulator/attempts/${REQUEST_ID}/replay`;
    const answer = await app.inject({ method: 'POST', url });
    expect([answer.statusCode, answer.json()]).toMatchObject([409, { code: 'attempts.elsewhere' }]);
  });
});
