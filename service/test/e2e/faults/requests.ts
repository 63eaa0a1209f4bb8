import { runHostileRequests } from '../../support/attacks/hostile/hostile-run.ts';
import { startService } from '../../support/programs/service-process.ts';
import type { FaultRun } from './fault-run.ts';

export const REQUESTS: FaultRun<'requests'> = {
  name: 'requests',
  fault: 'requests that no client should send',
  promise: 'each is refused, and no error is of the service itself',
  options: { requests: 500_000 },
  planted: [],
  async run({ options, seed }) {
    await using service = await startService();
    const report = await runHostileRequests(service, options.requests, seed);
    const { faults, requests, ...figures } = report;
    const said = service.stderr() === '' ? [] : [`stderr: ${service.stderr()}`];
    return {
      cycles: requests,
      acknowledged: null,
      tokens: null,
      recoveryMs: null,
      faults: [...faults, ...said],
      figures,
    };
  },
};
