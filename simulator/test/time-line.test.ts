/** GET /simulator/attempts, /attempts/{id} and its export: what happened, and no secret of it. */
import { describe, expect, it } from 'vitest';
import { nationalIdsIn } from '../../scripts/national-ids.ts';
import { outcomeId } from '../src/engine/people/national-id.ts';
import {
  decisionCall,
  exchangeCall,
  makeApp,
  pushCall,
  statusCall,
  type AppBench,
} from './support/apps.ts';
import { AMAL, FAISAL, REQUEST_ID, STRANGER } from './support/engines.ts';
import { Mailbox, RELYING_PARTY } from './support/relying-party.ts';
import { answerCall, openSession } from './support/sign-in.ts';

const PUSH = pushCall({ nationalId: AMAL, service: 'Login' });

interface WireEntry {
  readonly number: number;
  readonly side: string;
  readonly name: string;
  readonly exchange: null | {
    readonly status: number | null;
    readonly code: string | null;
    readonly path: string;
    readonly request: { readonly body: unknown };
    readonly response: { readonly body: unknown };
  };
  readonly act: unknown;
}

interface TimeLine {
  readonly attempt: Readonly<Record<string, unknown>>;
  readonly entries: readonly WireEntry[];
  readonly left_out: number;
  readonly findings: readonly unknown[];
}

async function timeLine({ app }: AppBench, id = REQUEST_ID): Promise<TimeLine> {
  const answer = await app.inject(`/simulator/attempts/${id}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ data: TimeLine }>().data;
}

const namesOf = ({ entries }: TimeLine) =>
  entries.map(({ number, side, name }) => `${number} ${side} ${name}`);

async function rows({ app }: AppBench, query = '', headers = {}) {
  const answer = await app.inject({ url: `/simulator/attempts${query}`, headers });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ data: readonly Record<string, unknown>[] }>().data;
}

const ids = (found: readonly Record<string, unknown>[]) => found.map(({ id }) => id);

describe('the time line of a simulator that stands alone', () => {
  it('names nobody whom the simulator does not know', async () => {
    const bench = makeApp();
    await bench.app.inject(pushCall({ nationalId: STRANGER, service: 'Login' }));
    const { attempt } = await timeLine(bench);
    expect(attempt).toMatchObject({ id: REQUEST_ID, person: null });
  });

  it('still names somebody who was removed since', async () => {
    const bench = makeApp();
    await bench.app.inject(pushCall({ nationalId: FAISAL, service: 'Login' }));
    await bench.app.inject({ method: 'DELETE', url: '/simulator/people/faisal' });
    const { attempt, entries } = await timeLine(bench);
    expect(attempt).toMatchObject({ person: { en: 'Faisal Omar Khalid Altajribi' } });
    expect(entries[0]).toMatchObject({ exchange: { request: { body: { nationalId: FAISAL } } } });
  });

  it('names who has approved a sign-in by browser, and nobody before', async () => {
    const bench = makeApp();
    const { state } = await openSession(bench.app);
    const [first] = await rows(bench);
    expect(first).toMatchObject({ flow: 'oidc', state: 'pending', person: null });
    await bench.app.inject(answerCall(state, 'approve', { person: 'faisal' }));
    const [row] = await rows(bench);
    expect(row).toMatchObject({ state: 'authenticated', person: { id: 'faisal' } });
    const { attempt } = await timeLine(bench, String(row?.['id']));
    expect(attempt['person']).toEqual(row?.['person']);
  });

  it('has the attempt as far as the provider knows it', async () => {
    const bench = makeApp();
    await bench.app.inject(PUSH);
    const { attempt, entries, left_out: leftOut } = await timeLine(bench);
    expect(attempt).toEqual({
      id: REQUEST_ID,
      flow: 'mfa',
      state: 'pending',
      reason: null,
      scope: 'default',
      client: null,
      service: 'Login',
      created_at: '2026-01-31T09:05:00+00:00',
      expires_at: '2026-01-31T09:06:00+00:00',
      entries: 2,
      person: { id: 'amal', ar: 'أمل سالم ناصر النموذجي', en: 'Amal Salem Nasser Alnamuthaji' },
      source: 'own',
      planned: false,
      answered: false,
    });
    expect(leftOut).toBe(0);
    expect(entries[0]).toMatchObject({
      at: '2026-01-31T09:05:00.250Z',
      exchange: {
        method: 'POST',
        status: 200,
        code: null,
        request: { body: { nationalId: AMAL, service: 'Login' } },
        response: { body: { random: expect.any(String) as string } },
      },
    });
  });

  it('has a prompt where it appeared, and the decision after it', async () => {
    const bench = makeApp();
    await bench.app.inject(PUSH);
    const [prompt] = bench.engine.prompts();
    await bench.app.inject(decisionCall(prompt?.id ?? '', { decision: 'refuse' }));
    const line = await timeLine(bench);
    expect(namesOf(line)).toEqual(['1 area_b mfa_request', '2 phone prompt', '3 phone decision']);
    expect(line.attempt).toMatchObject({ state: 'rejected', reason: 'attempt.rejected' });
    expect(line.entries[2]?.act).toEqual({ decision: 'refuse', by: 'person' });
  });

  it('has the end that an outcome makes by itself, at its time', async () => {
    const bench = makeApp();
    const nationalId = outcomeId(2);
    const call = pushCall({ nationalId, service: 'Login' });
    const { transId, random } = (await bench.app.inject(call)).json<Record<string, string>>();
    const poll = statusCall({ nationalId, transId, random });
    await bench.app.inject(poll);
    const early = await timeLine(bench);
    expect(early.attempt).toMatchObject({ state: 'pending', planned: true, answered: false });
    expect(namesOf(early)).toEqual([
      '1 area_b mfa_request',
      '2 phone prompt',
      '3 area_b mfa_status',
    ]);
    bench.clock.advance(3000);
    await bench.app.inject(poll);
    const line = await timeLine(bench);
    expect(line.attempt).toMatchObject({ state: 'authenticated', planned: false, answered: false });
    expect(namesOf(line)).toEqual([
      '1 area_b mfa_request',
      '2 phone prompt',
      '3 area_b mfa_status',
      '4 phone decision',
      '5 area_b mfa_status',
    ]);
    expect(line.entries[3]).toMatchObject({
      at: '2026-01-31T09:05:03.250Z',
      act: { decision: 'approve', by: 'outcome' },
    });
  });

  it('has no end of an outcome that a person has forestalled', async () => {
    const bench = makeApp();
    await bench.app.inject(pushCall({ nationalId: outcomeId(2), service: 'Login' }));
    const [prompt] = bench.engine.prompts();
    await bench.app.inject(decisionCall(prompt?.id ?? '', { decision: 'ignore' }));
    bench.clock.advance(4000);
    const { attempt, entries } = await timeLine(bench);
    expect(attempt).toMatchObject({ state: 'pending', planned: false, answered: false });
    expect(entries.map(({ act }) => act)).toEqual([
      null,
      null,
      { decision: 'ignore', by: 'person' },
    ]);
  });

  it('has the code of an error, and an attempt that never began', async () => {
    const bench = makeApp();
    await bench.app.inject(pushCall({ nationalId: STRANGER, service: 'Login' }));
    const { attempt, entries } = await timeLine(bench);
    expect(attempt).toMatchObject({ flow: 'mfa', state: 'failed', service: null });
    expect(entries[0]?.exchange).toMatchObject({ status: 422, code: '422-016-023' });
  });

  it('keeps what an attempt came to when others have taken the place of its prompt', async () => {
    const bench = makeApp({ engineSettings: { promptLimit: 4, oneActive: false } });
    const headers = { 'x-miftah-scope': 'quiet' };
    const begin = (requestId: string, nationalId: string, more = {}) =>
      bench.app.inject({
        ...pushCall({ nationalId, service: 'Login' }, { local: 'ar', requestId }),
        headers: more,
      });
    const asked = ['approve', 'refuse', 'ignore', ''];
    for (const [place, decision] of asked.entries()) {
      await begin(`quiet-${place}`, [AMAL, FAISAL][place % 2] ?? '', headers);
      const prompt = bench.engine.promptFor('push', `quiet-${place}`, 'quiet');
      if (decision === '') continue;
      await bench.app.inject(decisionCall(prompt?.id ?? '', { decision }, headers));
    }
    await begin('quiet-4', STRANGER, headers);
    const statesOf = async () => {
      const found = await rows(bench, '', headers);
      return found.map(({ id, state }) => `${String(id)} ${String(state)}`).toReversed();
    };
    const before = ['quiet-0 authenticated', 'quiet-1 rejected', 'quiet-2 pending'];
    expect(await statesOf()).toEqual([...before, 'quiet-3 pending', 'quiet-4 failed']);
    for (let loud = 0; loud < 8; loud += 1) await begin(`loud-${loud}`, AMAL);
    const after = ['quiet-0 authenticated', 'quiet-1 rejected', 'quiet-2 expired'];
    expect(await statesOf()).toEqual([...after, 'quiet-3 expired', 'quiet-4 failed']);
    const [, , , rejected, authenticated] = await rows(bench, '', headers);
    expect(authenticated).toMatchObject({ person: { id: 'amal' }, flow: 'mfa', reason: null });
    expect(rejected).toMatchObject({ reason: 'attempt.rejected' });
  });

  it('has the rows of its scope, newest first, in parts', async () => {
    const bench = makeApp();
    for (const requestId of ['a', 'b', 'c']) {
      await bench.app.inject(
        pushCall({ nationalId: AMAL, service: 'Login' }, { local: 'ar', requestId }),
      );
    }
    const headers = { 'x-miftah-scope': 'ours' };
    await bench.app.inject({ ...PUSH, headers });
    expect(ids(await rows(bench))).toEqual(['c', 'b', 'a']);
    expect(ids(await rows(bench, '?limit=2'))).toEqual(['c', 'b']);
    expect(ids(await rows(bench, '?limit=2&before=b'))).toEqual(['a']);
    expect(ids(await rows(bench, '', headers))).toEqual([REQUEST_ID]);
    const unknown = await bench.app.inject('/simulator/attempts?before=d');
    expect([unknown.statusCode, unknown.json()]).toMatchObject([
      404,
      { code: 'attempt.not_found' },
    ]);
  });

  it('has nothing any more after a reset of its scope', async () => {
    const bench = makeApp();
    const headers = { 'x-miftah-scope': 'ours' };
    await bench.app.inject(PUSH);
    await bench.app.inject({ ...PUSH, headers });
    await bench.app.inject({ method: 'POST', url: '/simulator/reset', payload: {} });
    expect([await rows(bench), await rows(bench, '', headers)]).toMatchObject([[], [{}]]);
  });
});

describe('a caller of another scope', () => {
  it.each(['', '/export'])('finds no attempt at %s', async (path) => {
    const { app } = makeApp();
    await app.inject(PUSH);
    const headers = { 'x-miftah-scope': 'other' };
    const answer = await app.inject({ url: `/simulator/attempts/${REQUEST_ID}${path}`, headers });
    expect([answer.statusCode, answer.json()]).toMatchObject([404, { code: 'attempt.not_found' }]);
  });
});

describe('the file of an attempt', () => {
  it('has the same as its time line, with a name that any system can have', async () => {
    const bench = makeApp();
    const requestId = '../a b"ي';
    await bench.app.inject(
      pushCall({ nationalId: AMAL, service: 'Login' }, { local: 'ar', requestId }),
    );
    const id = encodeURIComponent(requestId);
    const answer = await bench.app.inject(`/simulator/attempts/${id}/export`);
    expect(answer.headers['content-disposition']).toBe(
      'attachment; filename="miftah-attempt-___a_b__.json"',
    );
    expect(answer.json()).toEqual({
      format: 'miftah-attempt',
      version: 1,
      exported_at: '2026-01-31T09:05:00+00:00',
      data: await timeLine(bench, id),
    });
  });
});

describe('what leaves the journal', () => {
  it('has no secret of a sign-in by browser, and no number of a stranger', async () => {
    const bench = makeApp({ relyingParty: RELYING_PARTY });
    const headers = { 'app-id': 'app-id-value', 'app-key': 'app-key-value', referer: STRANGER };
    const { page, state, nonce } = await openSession(bench.app);
    await bench.app.inject(page);
    await bench.app.inject(answerCall(state, 'approve'));
    const exchanged = await bench.app.inject({
      ...exchangeCall({ state, note: STRANGER }),
      headers,
    });
    const { token } = exchanged.json<{ token: string }>();
    expect(await expectNone(bench, [state, nonce, token, 'app-key-value', STRANGER])).toBe(4);
  });

  it('has no secret of a push, and no number of a stranger', async () => {
    const mailbox = new Mailbox();
    const bench = makeApp({ relyingParty: RELYING_PARTY, post: mailbox.post });
    await bench.app.inject(PUSH);
    const [prompt] = bench.engine.prompts();
    await bench.app.inject(decisionCall(prompt?.id ?? '', { decision: 'approve' }));
    await expect.poll(() => mailbox.received.length).toBe(1);
    await bench.app.inject(pushCall({ nationalId: STRANGER, service: 'Login' }));
    expect(await expectNone(bench, [...mailbox.tokens, STRANGER])).toBe(5);
  });
});

/** @returns how many entries were looked at */
async function expectNone(bench: AppBench, secrets: readonly string[]): Promise<number> {
  const line = await bench.app.inject(`/simulator/attempts/${REQUEST_ID}`);
  const file = await bench.app.inject(`/simulator/attempts/${REQUEST_ID}/export`);
  for (const { body } of [line, file]) {
    for (const secret of secrets) expect(body).not.toContain(secret);
    expect([...nationalIdsIn(body)].filter((number) => number !== AMAL)).toEqual([]);
  }
  return line.json<{ data: TimeLine }>().data.entries.length;
}
