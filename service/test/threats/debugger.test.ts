import { expect, it } from 'vitest';
import { clientForTest, startServiceForTest } from '../support/programs/for-test.ts';

/** Node's debugger, which asks nobody who they are. */

it('threat 96: a signal does not open a debugger', async () => {
  const service = await startServiceForTest();
  service.signal('SIGUSR1');
  // The debugger would be announced before the service answers again.
  expect((await clientForTest(service).send('GET', '/readyz')).status).toBe(200);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(service.stderr()).toBe('');
});
