import { buildDiskShim, NO_SHIM } from '../../support/faults/disk/build-shim.ts';
import { IO_FAULTS, runIoFaults, type IoFaultStep } from '../../support/faults/disk/io-faults.ts';
import type { FaultRun } from './fault-run.ts';

const STEPS_BETWEEN_WORDS = 50;

export const CALLS_OF_DISK: FaultRun<'io-faults'> = {
  name: 'io-faults',
  fault: 'the n-th write or flush of the disk fails: EIO, ENOSPC, or half of it is written',
  promise: 'nothing acknowledged is lost; EIO ends the process, ENOSPC passes',
  options: { 'io-faults': 200 },
  planted: ['a broken disk is taken for a full one', 'a commit that failed is acknowledged'],
  async run({ options, seed, say }) {
    const library = buildDiskShim();
    if (library === null) return { notRun: NO_SHIM };
    const most = options['io-faults'];
    const numbers = Array.from({ length: most }, (_, index) => index + 1);
    const steps = numbers.flatMap((number) =>
      IO_FAULTS.flatMap((fault): IoFaultStep[] => [
        { fault, number, where: 'a first start' },
        { fault, number, where: 'under load' },
      ]),
    );
    const report = await runIoFaults(library, steps, seed, (done) => {
      if (done % STEPS_BETWEEN_WORDS === 0) say(`${done} of ${steps.length} calls`);
    });
    const { violations, caused, attempts, tokens, slowestRecoveryMs, ...figures } = report;
    const { inFirstStarts, ended } = figures;
    return {
      cycles: caused,
      kinds: `n to ${most}; ${inFirstStarts} in a first start; ${ended} ended the process`,
      acknowledged: attempts,
      tokens,
      recoveryMs: slowestRecoveryMs,
      faults: violations,
      figures,
    };
  },
};
