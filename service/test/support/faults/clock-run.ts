import { setTimeout as wait } from 'node:timers/promises';
import { ApiClient, type Answer, type Started } from '../programs/api-client.ts';
import { FakeTime } from './faketime.ts';
import { startService } from '../programs/service-process.ts';
import { until } from '../programs/until.ts';

const HOUR_S = 3600;
/** The service compares the clocks every second; a busy machine needs longer. */
const TAKEN_OVER_MS = 5000;

export interface ClockReport {
  readonly forwardMs: number;
  readonly backwardMs: number;
  readonly faults: readonly string[];
}

/**
 * Changes the clock of a running service: an hour forward, as after a machine has slept; two hours
 * back; then to the right time. What has expired must stay expired.
 */
export async function runClockSteps(library: string): Promise<ClockReport> {
  const time = new FakeTime(library);
  const settings = { ...time.environment, TOKEN_LIFETIME: '30m' };
  await using service = await startService({ settings });
  const client = new ApiClient(service.origin);
  const faults: string[] = [];
  const expect = (is: boolean, what: string) => void (is || faults.push(what));
  try {
    const old = await client.start({ locale: 'en' });
    const { token } = await signIn(client);

    time.set(HOUR_S);
    const forwardMs = await after(async () => (await stateOf(client, old)) === 'expired');
    expect(forwardMs < TAKEN_OVER_MS, 'an hour forward was not taken over');
    expect((await ready(client)) === 200, 'not ready after an hour forward');
    expect((await user(client, token)) === 401, 'a token outlived its half hour');
    const fresh = await client.start({ locale: 'en' });

    time.set(-HOUR_S);
    const backwardMs = await after(async () => (await ready(client)) === 503);
    expect(backwardMs < TAKEN_OVER_MS, 'two hours back were not noticed');
    // Waits for some more comparisons; the service's clock must never go back.
    await wait(TAKEN_OVER_MS);
    expect((await stateOf(client, old)) === 'expired', 'an attempt came back to life');
    expect((await user(client, token)) === 401, 'a token came back to life');
    expect((await stateOf(client, fresh)) === 'pending', 'an attempt ended by the step back');

    time.set(HOUR_S);
    const rightMs = await after(async () => (await ready(client)) === 200);
    expect(rightMs < TAKEN_OVER_MS, 'not ready when the clock was right again');
    expect((await stateOf(client, fresh)) === 'pending', 'an attempt ended by a clock put right');
    return { forwardMs, backwardMs, faults };
  } finally {
    client.close();
  }
}

/** How long it took until the condition was true, at most a second more than permitted. */
async function after(isSo: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  await until(async () => took() > TAKEN_OVER_MS || (await isSo()));
  return took();
}

async function signIn(client: ApiClient) {
  const attempt = await client.start({ locale: 'en' });
  await client.post('/callback', { state: attempt.attempt_id, auto_complete: true });
  return client.token(attempt);
}

async function stateOf(client: ApiClient, attempt: Started): Promise<string> {
  const { json }: Answer = await client.status(attempt);
  return (json as { data?: { status: string } }).data?.status ?? 'unknown';
}

async function ready(client: ApiClient): Promise<number> {
  return (await client.send('GET', '/readyz')).status;
}

async function user(client: ApiClient, token: string): Promise<number> {
  return (await client.get('/user', { authorization: `Bearer ${token}` })).status;
}
