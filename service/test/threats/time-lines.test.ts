import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AMAL, redeem, startPhone, type Started } from '../support/service/login.ts';
import {
  decide,
  KEY,
  launchAndDecide,
  startStrict,
  STRICT,
} from '../support/service/strict-login.ts';
import {
  openTestService,
  shareService,
  type TestService,
} from '../support/service/test-service.ts';
import { stepsOf, timeLineOf } from '../support/service/time-line.ts';

/** What may be learned and done by the time lines of a simulation. */

const strict = shareService(STRICT);

/** Everything that the control API says of an attempt. */
async function allOf({ app }: TestService, id: string): Promise<string> {
  const paths = [`attempts/${id}`, `attempts/${id}/export`, 'attempts'];
  const answers = await Promise.all(paths.map((path) => app.inject(`/simulator/${path}`)));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  return answers.map(({ payload }) => payload).join('\n');
}

const cookiesIn = (text: string) =>
  [...text.matchAll(/__Host-miftah_[^=]+=([\w-]+)/g)].map(([, secret = '']) => secret);

const tokenIn = (answer: { payload: string }) =>
  (JSON.parse(answer.payload) as { data: { token: string } }).data.token;

describe('threat 89: a time line that tells secrets', () => {
  it('has none of a sign-in by browser: tokens, codes, keys, cookies, states', async () => {
    const started = await startStrict(strict());
    const comeBack = await launchAndDecide(strict(), started);
    const returned = await comeBack();
    const address = new URL(String(returned.headers.location));
    const code = address.searchParams.get('completion_code') ?? '';
    const issued = await redeem(strict(), started, { completion_code: code }, KEY);
    const all = await allOf(strict(), started.attempt_id);
    expect(all).toContain('[masked]');
    const secrets = [started.attempt_token, code, tokenIn(issued), 'mfk_test_simulator'];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(15);
      expect(all).not.toContain(secret);
    }
    expect(cookiesIn(all)).toEqual([]);
    expect(all).not.toMatch(/state=(?!%5Bmasked|\[masked|[0-9a-f]{8}-)/);
  });

  it('has none of a sign-in by phone, and no number of a person who is not invented', async () => {
    const started = await startStrict(strict(), { national_id: AMAL });
    await decide(strict(), started);
    const steps = async () => stepsOf(await timeLineOf(strict(), started.attempt_id));
    await expect.poll(steps).toContain('callback push_callback 200');
    const issued = await redeem(strict(), started, {}, KEY);
    const all = await allOf(strict(), started.attempt_id);
    expect(all).toContain(AMAL);
    for (const secret of [started.attempt_token, tokenIn(issued), 'mfk_test_simulator']) {
      expect(all).not.toContain(secret);
    }
    expect(all).not.toMatch(/eyJ[\w-]{10}/);
    const foreign = await openTestService();
    const asked = await startPhone(foreign, '1098765432');
    expect(await allOf(foreign, asked.attempt_id)).not.toContain('1098765432');
  });

  it('is not there for another scope', async () => {
    const service = await openTestService();
    const started = await startPhone(service);
    for (const path of ['', '/export']) {
      const url = `/simulator/attempts/${started.attempt_id}${path}`;
      const headers = { 'x-miftah-scope': 'other' };
      expect((await service.app.inject({ url, headers })).statusCode).toBe(404);
    }
  });
});

describe('threat 90: requests about nothing, to drive out what is recorded', () => {
  it('leave the time line of an attempt as it is', async () => {
    const service = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    const started: Started = await startPhone(service);
    const before = (await timeLineOf(service, started.attempt_id)).entries.length;
    // More than the journal has attempts.
    for (let count = 0; count < 2100; count += 1) {
      const asked = await service.app.inject(`/api/v1/status/${randomUUID()}`);
      expect(asked.statusCode).toBe(401);
    }
    const after = await timeLineOf(service, started.attempt_id);
    expect(before).toBeGreaterThan(0);
    expect(after.entries).toHaveLength(before);
  });

  it('leave it as it is at the address of the provider too, from any page and any scope', async () => {
    const service = await openTestService({ settings: { ...STRICT, RATE_LIMITS: 'off' } });
    const started = await startStrict(service, { national_id: AMAL });
    const before = stepsOf(await timeLineOf(service, started.attempt_id));
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const session = '/stg/api/v2/oidc/session?locale=ar&requestId=';
    // More than the journal has attempts.
    for (let count = 0; count < 2100; count += 1) {
      const url = `/stg/api/v1/mfa/request?local=ar&requestId=${randomUUID()}`;
      const headers = { 'content-type': 'text/plain' };
      const refused = await service.app.inject({ method: 'POST', url, headers, payload: '{}' });
      expect(refused.statusCode).toBe(415);
    }
    await service.app.inject({ url: `${session}${started.attempt_id}`, headers: foreign });
    for (let count = 0; count < 2100; count += 1) {
      const headers = { 'x-miftah-scope': 'loud' };
      await service.app.inject({ url: `${session}${randomUUID()}`, headers });
    }
    expect(before).toContain('area_b mfa_request 200');
    expect(stepsOf(await timeLineOf(service, started.attempt_id))).toEqual(before);
  });
});
