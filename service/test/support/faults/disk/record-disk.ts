import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceFolder } from '../../canaries/run-folder.ts';
import { startService } from '../../programs/service-process.ts';
import { until } from '../../programs/until.ts';
import { seededRandom } from '../seeded-random.ts';
import { runTraffic } from '../traffic.ts';
import { readDiskLog, type LoggedOperation } from './disk-log.ts';
import { JournaledHistory } from './journaled-history.ts';

const WRITERS = 16;
/**
 * How long a flush takes. A service that answers before it would be seen: the answer would be there
 * long before the record of the flush.
 */
const SYNC_US = 1000;

/** What a service did to its disk, and what its applications knew meanwhile. */
export interface DiskRecording {
  readonly operations: readonly LoggedOperation[];
  readonly history: JournaledHistory;
}

export interface RecordingPlan {
  readonly seed: number;
  /** How each run of the service ends. The next one begins on what is there. */
  readonly ends: readonly ('an orderly end' | 'a kill')[];
  /** Answers in each run. */
  readonly answers: number;
}

/** Runs a service under load on a disk whose every change is recorded. */
export async function recordDisk(library: string, plan: RecordingPlan): Promise<DiskRecording> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-recording-'));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const dataDir = join(serviceFolder('recorded'), 'data');
  const history = new JournaledHistory(log);
  const random = seededRandom(plan.seed);
  const settings = {
    LD_PRELOAD: library,
    DISK_FOLDER: dataDir,
    DISK_LOG: log,
    DISK_SYNC_US: String(SYNC_US),
  };
  try {
    for (const end of plan.ends) {
      await using service = await startService({ settings, dataDir });
      const before = history.answers;
      const isAnswered = () => history.answers >= before + plan.answers;
      const isOver = end === 'a kill' ? {} : { isOver: isAnswered };
      const { origin } = service;
      const traffic = runTraffic({
        origins: [origin],
        writers: WRITERS,
        history,
        random,
        ...isOver,
      });
      await until(isAnswered);
      if (end === 'a kill') await service.kill();
      await traffic;
      if (end !== 'a kill') await service.stop();
    }
    return { operations: readDiskLog(log, dataDir), history };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
