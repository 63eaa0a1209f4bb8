import { expect, it } from 'vitest';
import { createMemoryStore } from '../../src/store/index.ts';
import { expectProblem, readStatus, startedOf, startRedirect } from '../support/service/login.ts';
import { openTestService } from '../support/service/test-service.ts';

const MANY = 17;
const LATE_MS = 250;

it('refuses a start early while starts take long in the store, and nothing that was begun', async () => {
  const opened = Promise.withResolvers<void>();
  let inStore = 0;
  const memory = createMemoryStore();
  const store = {
    ...memory,
    async insertAttempt(...attempt: Parameters<typeof memory.insertAttempt>) {
      inStore += 1;
      if (inStore > 1) await opened.promise;
      return memory.insertAttempt(...attempt);
    },
  };
  const settings = { RATE_LIMITS: 'off' };
  const service = await openTestService({ settings, parts: { openStore: async () => store } });
  const begun = await startRedirect(service);
  const slow = Array.from({ length: MANY }, () => service.post('/start', { locale: 'en' }));
  await expect.poll(() => inStore).toBe(1 + MANY);
  service.clock.advance(LATE_MS);
  const always = service.post('/start', { locale: 'en' });
  await expect.poll(() => inStore).toBe(2 + MANY);

  // Not even its body is looked at.
  const refused = await service.post('/start', { locale: 'xx' });
  expectProblem(refused, 'server.overloaded');
  expect(refused.headers['retry-after']).toBe('1');
  expect(inStore).toBe(2 + MANY);
  expect((await readStatus(service, begun)).statusCode).toBe(200);
  expect((await service.app.inject('/livez')).statusCode).toBe(200);

  opened.resolve();
  for (const answer of await Promise.all([...slow, always])) startedOf(answer);
  startedOf(await service.post('/start', { locale: 'en' }));
  const { payload } = await service.app.inject('/metrics');
  expect(payload).toContain('miftah_limits_hit_total{limit="overload-store"} 1');
  expect(payload).toContain('miftah_limits_hit_total{limit="queue"} 0');
});
