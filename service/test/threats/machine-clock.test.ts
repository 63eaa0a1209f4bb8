import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/platform/runtime.ts';
import { until } from '../support/programs/until.ts';
import type { Started } from '../support/live/live-client.ts';
import { shareOpened } from '../support/live/live-service.ts';

const HOUR_MS = 3_600_000;

/** How far the machine's clock was changed. The monotonic clock is not affected. */
const machine = { set: 0 };
const clock = new SystemClock({
  wall: () => performance.timeOrigin + performance.now() + machine.set,
  monotonic: () => performance.now(),
});
const scene = shareOpened({ machine: clock });

async function readiness() {
  const answer = await fetch(`${scene().origin}/readyz`);
  const { reason = null } = (await answer.json()) as { reason?: string };
  return { status: answer.status, reason };
}

async function statusOf(attempt: Started): Promise<unknown> {
  return (await scene().bank.status(attempt)).data['status'];
}

describe('threat 70: the clock of the machine steps', () => {
  // A machine that sleeps has the same effect, because the monotonic clock stops meanwhile.
  it('it is set forward by an hour: taken over within a tick, and nobody is refused', async () => {
    const { bank } = scene();
    const attempt = await bank.startRedirect();
    expect(await statusOf(attempt)).toBe('pending');

    machine.set += HOUR_MS;
    await until(async () => (await statusOf(attempt)) === 'expired');

    expect(await readiness()).toEqual({ status: 200, reason: null });
    expect((await bank.start({})).status).toBe(200);
  });

  it('it is set back by two hours: nothing comes back, and nobody starts until it is right', async () => {
    const { bank } = scene();
    const old = await bank.startRedirect();
    machine.set += HOUR_MS;
    await until(async () => (await statusOf(old)) === 'expired');
    const fresh = await bank.startRedirect();
    const before = clock.now();

    machine.set -= 2 * HOUR_MS;
    await until(async () => (await readiness()).status === 503);
    expect((await readiness()).reason).toMatch(/clock .* set back: .* 7200 s ahead/);
    expect(scene().log()).toContain('7200 s ahead');
    expect(clock.now()).toBeGreaterThanOrEqual(before);
    expect(await statusOf(old)).toBe('expired');
    expect(await statusOf(fresh)).toBe('pending');

    const refused = await bank.start({});
    expect([refused.status, refused.code]).toEqual([503, 'server.clock_ahead']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);

    machine.set += 2 * HOUR_MS;
    await until(async () => (await readiness()).status === 200);
    expect((await bank.start({})).status).toBe(200);
    expect(await statusOf(old)).toBe('expired');
    expect(await statusOf(fresh)).toBe('pending');
  });
});
