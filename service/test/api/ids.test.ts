import { describe, expect, it } from 'vitest';
import {
  approveInBrowser,
  bearer,
  complete,
  expectProblem,
  issuedOf,
  login,
  redeem,
  startPhone,
  startRedirect,
} from '../support/service/login.ts';
import { shareService } from '../support/service/test-service.ts';

/** RFC 9562 section 4: a UUID is read in either case, in each place that takes one. */

const service = shareService({ RATE_LIMITS: 'on' });
const capitals = (id: string) => id.toUpperCase();
const proof = (attemptToken: string) => ({ 'x-provider-attempt-token': attemptToken });

describe('an id in capitals is the same id', () => {
  it('of a sign-in by browser, from its page to its token', async () => {
    const started = await startRedirect(service());
    const shouted = { ...started, attempt_id: capitals(started.attempt_id) };
    const wrong = await service().post('/complete-mfa', { attempt_id: shouted.attempt_id });
    const { attempt_id: named } = expectProblem(wrong, 'attempt.wrong_flow');
    expect(named).toBe(started.attempt_id);
    const read = () => service().get(`/status/${shouted.attempt_id}`, proof(started.attempt_token));
    expect((await read()).json()).toMatchObject({ data: { status: 'pending' } });
    expect((await service().get(`/callback?state=${shouted.attempt_id}`)).statusCode).toBe(200);
    const completion_code = await approveInBrowser(service(), shouted);
    expect((await read()).json()).toMatchObject({ data: { status: 'authenticated' } });
    const issued = issuedOf(await redeem(service(), shouted, { completion_code }));
    expect(issued.token).toMatch(/^mft_test_/);
  });

  it('of a sign-in by phone, and its answer has the canonical one', async () => {
    const started = await startPhone(service());
    const shouted = { ...started, attempt_id: capitals(started.attempt_id) };
    const done = await complete(service(), shouted);
    expect(done.json()).toMatchObject({ attempt_id: started.attempt_id });
    expect((await redeem(service(), shouted)).statusCode).toBe(200);
  });

  it('of an attempt that is cancelled', async () => {
    const started = await startRedirect(service());
    const answer = await service().request({
      method: 'DELETE',
      url: `/api/v1/attempts/${capitals(started.attempt_id)}`,
      headers: proof(started.attempt_token),
    });
    expect(answer.statusCode).toBe(204);
  });

  it('of a token, in the list and where it is revoked', async () => {
    const { token } = await login(service());
    const list = await service().get('/tokens', bearer(token));
    const own = list.json<{ data: { id: string; current: boolean }[] }>().data;
    const id = capitals(own.find(({ current }) => current)?.id ?? '');
    expect((await service().get(`/tokens?after=${id}`, bearer(token))).statusCode).toBe(200);
    const url = `/api/v1/tokens/${id}`;
    const revoked = await service().request({ method: 'DELETE', url, headers: bearer(token) });
    expect(revoked.statusCode).toBe(204);
  });

  it('shares the limit of the attempt', async () => {
    const started = await startRedirect(service());
    const left = async (id: string) => {
      const answer = await service().get(`/status/${id}`, proof(started.attempt_token));
      return Number(answer.headers['x-ratelimit-remaining']);
    };
    const before = await left(started.attempt_id);
    expect(before).toBeGreaterThan(0);
    expect(await left(capitals(started.attempt_id))).toBe(before - 1);
  });
});
