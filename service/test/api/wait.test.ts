import { describe, expect, it } from 'vitest';
import {
  AMAL,
  bearer,
  startedOf,
  startPhone,
  startRedirect,
  type Started,
} from '../support/service/login.ts';
import { shareService, type TestService } from '../support/service/test-service.ts';

/** `GET /simulator/wait`: a test waits for a prompt or for the end of an attempt. */

const simulated = shareService();
const strict = shareService({ STRICT: 'yes', PUBLIC_URL: 'http://localhost:3000' });
const KEY = bearer('mfk_test_simulator');

interface Waited {
  readonly reached: boolean;
  readonly status: string | null;
  readonly prompt: { readonly id: string } | null;
}

async function waitFor(service: TestService, query: Record<string, string>): Promise<Waited> {
  const answer = await service.app.inject({ url: '/simulator/wait', query });
  expect(answer.statusCode, answer.payload).toBe(200);
  return answer.json<{ data: Waited }>().data;
}

async function decide(service: TestService, { attempt_id }: Started, decision: string) {
  const { prompt } = await waitFor(service, { until: 'prompt', attempt_id });
  const url = `/simulator/prompts/${prompt?.id}/decision`;
  const answer = await service.app.inject({ method: 'POST', url, payload: { decision } });
  expect(answer.statusCode).toBe(200);
}

describe.each([
  { mode: 'simulator', service: simulated, start: (service: TestService) => startPhone(service) },
  {
    mode: 'strict',
    service: strict,
    start: async (service: TestService) =>
      startedOf(await service.post('/start', { locale: 'en', national_id: AMAL }, KEY)),
  },
])('in $mode mode', ({ service, start }) => {
  it.each([
    ['approve', 'authenticated'],
    ['refuse', 'rejected'],
  ])('a prompt is seen, and what becomes of its attempt: %s', async (decision, until) => {
    const started = await start(service());
    const query = { until, attempt_id: started.attempt_id };
    const waiting = waitFor(service(), query);
    await decide(service(), started, decision);
    expect(await waiting).toEqual({ reached: true, status: until, prompt: null });
  });

  it('does not wait for what can not come any more', async () => {
    const started = await start(service());
    const query = { until: 'expired', attempt_id: started.attempt_id, timeout: '30' };
    const waiting = waitFor(service(), query);
    await decide(service(), started, 'refuse');
    expect(await waiting).toMatchObject({ reached: false, status: 'rejected' });
  });
});

it('an expiry is seen when the clock is moved', async () => {
  const started = await startRedirect(simulated());
  const waiting = waitFor(simulated(), { until: 'expired', attempt_id: started.attempt_id });
  simulated().clock.advance(300_000);
  expect(await waiting).toMatchObject({ reached: true });
});
