import { beforeEach, describe, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { RATE_WINDOW_MS } from '../../src/values/limits.ts';
import {
  approveInBrowser,
  bearer,
  expectProblem,
  login,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
} from '../support/service/login.ts';
import { BASE, shareService, type Answer } from '../support/service/test-service.ts';

/**
 * The order of the checks decides what an answer reveals: if two things are wrong, only the first
 * is reported.
 */

const service = shareService();
const counting = shareService({ RATE_LIMITS: 'on' });
const JSON_TYPE = { 'content-type': 'application/json' };
const UNKNOWN = '01900000-0000-7000-8000-000000000000';

beforeEach(() => counting().clock.advance(RATE_WINDOW_MS));

function post(path: string, payload: string, headers: Record<string, string>): Promise<Answer> {
  return service().request({ method: 'POST', url: BASE + path, headers, payload });
}

describe('the limit of the address', () => {
  it('comes before media type, size and JSON', async () => {
    for (let count = 0; count < 20; count += 1) await startRedirect(counting());
    const bodies: [string, Record<string, string>][] = [
      ['{', JSON_TYPE],
      ['{}', { 'content-type': 'text/plain' }],
      [' '.repeat(20_000), JSON_TYPE],
    ];
    for (const [payload, headers] of bodies) {
      const sent = { method: 'POST', url: `${BASE}/start`, headers, payload } as const;
      expectProblem(await counting().request(sent), 'rate_limited');
    }
  });

  it('comes before the credential', async () => {
    for (let count = 0; count < 120; count += 1) await counting().get('/user');
    expectProblem(await counting().get('/user'), 'rate_limited');
    const answer = await counting().post('/introspect', { token: 'x' });
    expectProblem(answer, 'rate_limited');
  });
});

describe('media type, size and JSON', () => {
  it('come before the client key', async () => {
    const { token } = await login(service());
    const typed = { 'content-type': 'text/plain', ...bearer(token) };
    expectProblem(await post('/introspect', 'x', typed), 'request.unsupported_media_type');
    expectProblem(await post('/introspect', '{', JSON_TYPE), 'request.malformed_json');
  });

  it('come in this order', async () => {
    const large = ' '.repeat(20_000);
    const text = { 'content-type': 'text/plain' };
    expectProblem(await post('/start', large, text), 'request.unsupported_media_type');
    expectProblem(await post('/start', `{${large}`, JSON_TYPE), 'request.too_large');
  });
});

describe('the form of a request', () => {
  it('comes before the look-up, whether there is something to find or not', async () => {
    const { attempt_id, attempt_token } = await startCompleted(service());
    for (const id of [attempt_id, UNKNOWN, 'x']) {
      const answers = [
        await service().post(`/token/${id}`, { attempt_token, extra: 1 }),
        await service().post('/callback', { state: id, auto_complete: 'true' }),
        await service().post('/complete-mfa', { attempt_id: id, extra: 1 }),
        await service().post(`/token/${id}`, { attempt_token }, { 'idempotency-key': 'short' }),
      ];
      for (const answer of answers) expectProblem(answer, 'validation.failed');
    }
  });

  it('comes after the client key', async () => {
    expectProblem(await service().post('/introspect', { extra: 1 }), 'client.unauthenticated');
  });
});

describe('the look-up', () => {
  it('comes before state, expiry and code: a wrong token learns nothing of them', async () => {
    const guess = { attempt_token: 'guess' };
    const pending = await startRedirect(service());
    const rejected = await startPhone(service(), '1900000010');
    const redeemed = await startCompleted(service());
    await redeem(service(), redeemed);
    const expired = await startRedirect(service());
    service().clock.advance(ATTEMPT_LIFETIME_MS);
    for (const { attempt_id } of [pending, rejected, redeemed, expired]) {
      const answer = await redeem(service(), { attempt_id, ...guess }, { completion_code: 'x' });
      expectProblem(answer, 'attempt.not_found');
    }
  });
});

describe('of what is wrong with an attempt', () => {
  it('that it was redeemed comes before its expiry', async () => {
    const started = await startCompleted(service());
    await redeem(service(), started);
    service().clock.advance(ATTEMPT_LIFETIME_MS);
    expectProblem(await redeem(service(), started), 'attempt.already_redeemed');
  });

  it('its expiry comes before its being pending, and before the completion code', async () => {
    const pending = await startRedirect(service());
    const approved = await startRedirect(service());
    await approveInBrowser(service(), approved);
    service().clock.advance(ATTEMPT_LIFETIME_MS);
    for (const started of [pending, approved]) {
      const answer = await redeem(service(), started, { completion_code: 'wrong' });
      expectProblem(answer, 'attempt.expired');
    }
  });

  it('its being pending comes before the completion code', async () => {
    const started = await startRedirect(service());
    const answer = await redeem(service(), started, { completion_code: 'wrong' });
    expectProblem(answer, 'attempt.pending');
  });
});
