import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CrowdJob, CrowdReport } from './crowd-job.ts';

/** Lets a crowd sign in, in a thread of its own. @throws Error when the crowd itself fails */
export async function runCrowd(job: CrowdJob): Promise<CrowdReport> {
  const thread = new Worker(new URL('crowd-thread.ts', import.meta.url), { workerData: job });
  // Messages are delivered before the end of their thread is.
  const ended = once(thread, 'exit').then(() => null);
  const said = (await Promise.race([once(thread, 'message'), ended])) as [CrowdReport] | null;
  if (said === null) throw new Error('the crowd has ended without a report');
  await thread.terminate();
  return said[0];
}
