import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { BANK_KEY, CLIENTS } from '../support/live/rehearsal.ts';
import {
  AMAL,
  bearer,
  startPhone,
  startRedirect,
  statusOf,
  type Started,
} from '../support/service/login.ts';
import { decide, startStrict, STRICT } from '../support/service/strict-login.ts';
import { setFaults } from '../support/service/set-faults.ts';
import {
  openTestService,
  shareService,
  type TestService,
} from '../support/service/test-service.ts';
import { stepsOf, timeLineOf } from '../support/service/time-line.ts';

/** Sign-ins that the control API starts again. */

const plain = shareService();
const strict = shareService(STRICT);

const replay = ({ app }: TestService, id: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url: `/simulator/attempts/${id}/replay`, headers });

async function replayed(service: TestService, id: string): Promise<Started> {
  const answer = await replay(service, id);
  expect(answer.statusCode, answer.payload).toBe(201);
  return answer.json<{ data: Started }>().data;
}

describe('a sign-in that is started again', () => {
  it.each([
    ['plain', plain],
    ['strict', strict],
  ])('is for the same person, and ends in the same way, in %s mode', async (mode, service) => {
    const body = { national_id: AMAL };
    const first =
      mode === 'plain' ? await startPhone(service()) : await startStrict(service(), body);
    service().clock.advance(7000);
    await decide(service(), first, 'refuse');
    const again = await replayed(service(), first.attempt_id);
    expect(again.attempt_id).not.toBe(first.attempt_id);
    expect(again.random).toMatch(/^\d+$/);
    const line = await timeLineOf(service(), again.attempt_id);
    expect(stepsOf(line)).toContain('area_a startAttempt 200');
    const start = line.entries.find(({ name }) => name === 'startAttempt')?.exchange?.request;
    expect(start?.body).toMatchObject({ locale: 'en', national_id: AMAL });
    expect(start?.headers).toEqual({
      'user-agent': 'miftah replay',
      'x-simulate': 'refuses;after=7',
    });
    expect(line.text).not.toContain(again.attempt_token);
    expect(await statusOf(service(), again)).toBe('pending');
    service().clock.advance(7000);
    await expect.poll(() => statusOf(service(), again)).toBe('rejected');
  });

  it('is of the same flow and for the same application, whose key nobody needs', async () => {
    const folder = temporaryFolder('clients', onTestFinished);
    const file = writeClientsFile(folder, Object.values(CLIENTS));
    const service = await openTestService({ settings: { ...STRICT, CLIENTS_FILE: file } });
    const asked = await service.post('/start', { locale: 'ar' }, bearer(BANK_KEY));
    const { data: first } = asked.json<{ data: Started }>();
    const again = await replayed(service, first.attempt_id);
    expect(again.random).toBeUndefined();
    const { attempt } = await timeLineOf(service, again.attempt_id);
    expect(attempt).toMatchObject({ flow: 'oidc', client: CLIENTS.bank.name });
  });

  it('counts as a start of its address, with those of applications', async () => {
    const service = await openTestService({ settings: { RATE_LIMITS: 'on' } });
    const first = await startRedirect(service);
    for (let count = 1; count < 20; count += 1) await replayed(service, first.attempt_id);
    const refused = await replay(service, first.attempt_id);
    expect([refused.statusCode, refused.json()]).toMatchObject([429, { code: 'rate_limited' }]);
    const seconds = Number(refused.headers['retry-after']);
    expect(refused.headers['ratelimit']).toBe(`"start";r=0;t=${seconds}`);
    expect(seconds).toBeGreaterThan(0);
    expect((await service.post('/start', { locale: 'ar' })).statusCode).toBe(429);
    const { data } = (await service.app.inject('/simulator/attempts')).json<{ data: object[] }>();
    expect(data).toHaveLength(20);
    service.clock.advance(seconds * 1000);
    await replayed(service, first.attempt_id);
  });

  it('is not counted where starts are not', async () => {
    const first = await startRedirect(plain());
    for (let count = 0; count < 25; count += 1) await replayed(plain(), first.attempt_id);
  });

  it('is refused with the code of the service, and for another scope', async () => {
    const first = await startRedirect(plain());
    expect((await replay(plain(), first.attempt_id, { 'x-miftah-scope': 'b' })).statusCode).toBe(
      404,
    );
    await setFaults(plain(), { operation: 'session', status: 503 });
    const refused = await replay(plain(), first.attempt_id);
    expect([refused.statusCode, refused.payload]).toEqual([
      409,
      expect.stringContaining('provider.unavailable'),
    ]);
    await setFaults(plain());
  });
});
