import {
  runFullDisk,
  startsAfterEachEnd,
  type FullDiskReport,
} from '../../support/faults/full-disk-run.ts';
import { mountSmallDisk } from '../../support/faults/small-disk.ts';
import type { FaultRun } from './fault-run.ts';

const DISK_MEGABYTES = 24;
const PAGE_BYTES = 4096;
/**
 * Starts are tried with every smaller number of free pages: the log's index needs 8, a write a few.
 */
const MOST_PAGES_LEFT = 16;

export const DISKS: FaultRun<'disks'> = {
  name: 'disks',
  fault: 'a full disk, under load and at a start',
  promise: 'nothing acknowledged is lost, and the service is ready again with space',
  options: { disks: 3 },
  planted: [
    'a full disk is not told to who asks for readiness',
    'a start on a full disk needs room for the index of the log',
  ],
  async run({ options, say }) {
    const reports: FullDiskReport[] = [];
    for (let disk = 0; disk < options.disks; disk += 1) {
      // Of several sizes, so that the space runs out at different points.
      const report = await fillOne(DISK_MEGABYTES + disk);
      if (report === null) return { notRun: 'only root on Linux can mount a small one' };
      say(JSON.stringify(report));
      reports.push(report);
    }
    const sum = (of: (report: FullDiskReport) => number) =>
      reports.reduce((total, report) => total + of(report), 0);
    const readyAfterMs = reports.flatMap((report) => report.readyAfterMs);
    return {
      cycles: readyAfterMs.length,
      kinds: `on ${reports.length} disks`,
      acknowledged: sum(({ acknowledged }) => acknowledged),
      tokens: null,
      recoveryMs: Math.max(...readyAfterMs),
      faults: reports.flatMap(({ faults }) => faults),
      figures: { refused: sum(({ refused }) => refused) },
    };
  },
};

async function fillOne(megabytes: number): Promise<FullDiskReport | null> {
  const small = mountSmallDisk(megabytes);
  if (small === null) return null;
  try {
    const pages = Array.from({ length: MOST_PAGES_LEFT + 1 }, (_, left) => left);
    return await runFullDisk(
      small,
      pages.flatMap((left) => startsAfterEachEnd(left * PAGE_BYTES)),
    );
  } finally {
    small.unmount();
  }
}
