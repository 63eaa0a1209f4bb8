import { expect, it } from 'vitest';
import type { StoreHealth } from '../../src/store/ports/store.port.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import { openTestService } from '../support/service/test-service.ts';

const SAID = 'disk I/O error at /var/lib/miftah of host db.internal';

async function readyzWith(health: StoreHealth) {
  const openStore = async () => ({ ...createMemoryStore(), health: () => health });
  const service = await openTestService({ parts: { openStore } });
  const answer = await service.request({ method: 'GET', url: '/readyz' });
  const live = await service.request({ method: 'GET', url: '/livez' });
  expect([live.statusCode, live.json()]).toEqual([200, { status: 'live' }]);
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
}

it('a service that can work says so in one word', async () => {
  expect(await readyzWith({ ready: true })).toEqual({ status: 200, body: { status: 'ready' } });
});

it.each([
  ['store', { ready: false, reason: SAID }],
  ['store.space', { ready: false, reason: SAID, isFull: true }],
] as const)(
  '/readyz names the check "%s" and what to do, and not what was said',
  async (check, health) => {
    const { status, body } = await readyzWith(health);
    expect(status).toBe(503);
    const text = expect.stringMatching(/\w{3}/) as string;
    expect(body).toEqual({
      status: 'not_ready',
      reason: text,
      failed: [{ check, reason: text, remedy: text }],
    });
    expect(JSON.stringify(body)).not.toMatch(/disk I\/O|\/var|db\.internal/);
  },
);
