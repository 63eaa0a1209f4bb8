import { expect, it, onTestFinished } from 'vitest';
import { runFullDisk, startsAfterEachEnd } from '../support/faults/full-disk-run.ts';
import { mountSmallDisk } from '../support/faults/small-disk.ts';

const DISK_MEGABYTES = 24;

it('threat 69: a full disk makes the service read-only, also at a start, until there is space', async () => {
  const disk = mountSmallDisk(DISK_MEGABYTES);
  if (disk === null) {
    // The other tests of threat 69 still run; they fill a database instead of a disk.
    console.warn('LEFT OUT: no disk was filled, since only root on Linux can mount a small one');
    return;
  }
  onTestFinished(() => disk.unmount());

  const { faults, ...figures } = await runFullDisk(disk, startsAfterEachEnd(0));
  console.log(`full disk: ${JSON.stringify(figures)}`);
  expect(faults).toEqual([]);
  expect(figures.refused).toBeGreaterThan(0);
});
