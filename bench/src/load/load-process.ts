import { fork, type ChildProcess } from 'node:child_process';
import type { Job, Outcome, Report } from './job.ts';

/** The benchmark's connection to a load generator. */
export class LoadProcess {
  readonly #child: ChildProcess = fork(new URL('./generator.ts', import.meta.url));

  async run(job: Job): Promise<Report> {
    const outcome = await this.#ask(job);
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome.report;
  }

  #ask(job: Job): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('the load generator has ended'));
      this.#child.once('exit', onExit);
      this.#child.once('message', (outcome: Outcome) => {
        this.#child.off('exit', onExit);
        resolve(outcome);
      });
      this.#child.send(job);
    });
  }

  stop(): void {
    this.#child.disconnect();
  }
}
