import process from 'node:process';

const SECOND_US = 1_000_000;

/**
 * The processor time of this thread that `work` takes, in seconds. A machine that is busy makes it
 * longer in the same way as what is measured by it.
 */
export function ownCost(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / SECOND_US;
}
