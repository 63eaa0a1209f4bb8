import { runDamage } from '../../support/faults/disk/damage-run.ts';
import type { FaultRun } from './fault-run.ts';

export const DAMAGE: FaultRun<'damages'> = {
  name: 'damage',
  fault: 'a byte of the database or of its log is changed, either is cut off, or replaced',
  promise: 'refused with advice, or every row that the files still have',
  options: { damages: 200 },
  planted: [
    'a start does not compare rows with indexes',
    'a database of another program is given tables',
    'commits behind a damaged place of the log are left out',
  ],
  async run({ options, seed }) {
    const report = await runDamage(options.damages, seed);
    const { violations, tried, attempts, tokens, verdicts } = report;
    return {
      cycles: tried,
      kinds: Object.entries(verdicts)
        .map(([what, count]) => `${what} ${count}`)
        .join('; '),
      acknowledged: attempts,
      tokens,
      recoveryMs: null,
      faults: violations,
      figures: {},
    };
  },
};
