import { measureSlowClients } from '../../support/attacks/slow-clients.ts';
import { startService } from '../../support/programs/service-process.ts';
import type { FaultRun } from './fault-run.ts';

/** Of the 99th percentile of a good client, beside the slow ones and alone. */
const MOST_TIMES_SLOWER = 10;
const GOOD_ENOUGH_MS = 100;

export const SLOW: FaultRun<'slow-sockets' | 'good-requests'> = {
  name: 'slow',
  fault: 'clients that send one byte a second and read nothing',
  promise: 'others are served',
  options: { 'slow-sockets': 5000, 'good-requests': 5000 },
  planted: [],
  async run({ options }) {
    await using service = await startService({ settings: { LOG_LEVEL: 'silent' } });
    const figures = await measureSlowClients(
      service,
      options['slow-sockets'],
      options['good-requests'],
    );
    const { aloneP99Ms, besideP99Ms, faults } = figures;
    const isLate =
      besideP99Ms > GOOD_ENOUGH_MS && besideP99Ms > MOST_TIMES_SLOWER * Math.max(1, aloneP99Ms);
    const late = `the 99th percentile is ${besideP99Ms} ms beside them, and ${aloneP99Ms} ms alone`;
    return {
      cycles: 1,
      kinds: `${figures.sockets} sockets; ${late}`,
      acknowledged: 2 * figures.good - faults.length,
      tokens: null,
      recoveryMs: null,
      faults: isLate ? [...faults, late] : faults,
      figures,
    };
  },
};
