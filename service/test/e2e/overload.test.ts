import { expect, it } from 'vitest';
import { overload } from '../support/faults/overload/overload-run.ts';
import { factsOfFile } from '../support/faults/store-facts.ts';
import { startServiceForTest } from '../support/programs/for-test.ts';

const PLAN = { peakSeconds: 1, seconds: 2, sockets: 600 };

it('answers each request with 200 or an early 503, and finishes what was begun', async () => {
  const service = await startServiceForTest({ settings: { LOG_LEVEL: 'info' } });

  const figures = await overload(service, PLAN, () => factsOfFile(service.dataDir));

  console.log(`overload: ${JSON.stringify(figures)}`);
  expect(figures.faults).toEqual([]);
  expect(figures.report.tokens).toBe(figures.report.attempts);
  expect(figures.livezAnswers).toBeGreaterThan(0);
  expect(figures.refusedOutside).toBe(0);
});
