/** The load generator: runs one job after another in its own process, for one server. */
import { Attempts } from './attempts.ts';
import type { Job, Outcome } from './job.ts';
import { runJob } from './run-job.ts';

const attempts = new Attempts();

async function outcomeOf(job: Job): Promise<Outcome> {
  try {
    return { report: await runJob(job, attempts) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

process.on('message', (job: Job) => {
  void outcomeOf(job).then((outcome) => process.send?.(outcome));
});
