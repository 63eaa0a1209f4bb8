import { buildDiskShim, NO_SHIM } from '../../support/faults/disk/build-shim.ts';
import { runPowerCuts } from '../../support/faults/disk/power-cut-run.ts';
import type { FaultRun } from './fault-run.ts';

export const POWER_CUTS: FaultRun<'power-cuts'> = {
  name: 'power-cuts',
  fault: 'the power is cut under load, with a file',
  promise: 'nothing acknowledged is lost, and the next start works',
  options: { 'power-cuts': 2000 },
  planted: [
    'a power cut loses what is not flushed at its commit',
    'a new key is not flushed',
    'the rest of a commit that was cut off is taken for damage',
  ],
  async run({ options, seed, say }) {
    const library = buildDiskShim();
    if (library === null) return { notRun: NO_SHIM };
    const report = await runPowerCuts(library, options['power-cuts'], seed, (done) =>
      say(`${done} cuts`),
    );
    const { violations, cuts, attempts, tokens, worse, ...figures } = report;
    return {
      cycles: cuts,
      kinds: `of ${figures.recordings} recordings`,
      acknowledged: attempts,
      tokens,
      recoveryMs: null,
      faults: violations,
      worse: `without the flush of each commit, ${worse.bad} of ${worse.cuts} cuts lose something`,
      figures,
    };
  },
};
