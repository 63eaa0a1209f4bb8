import { fork, type ChildProcess } from 'node:child_process';
import type { HolderAnswer, HolderJob } from './holder-job.ts';

/** Event streams that other processes hold open; two for each of their attempts. */
export class HeldStreams {
  readonly #holders: readonly ChildProcess[];
  readonly #port: number;

  constructor(port: number, holders: number) {
    this.#port = port;
    const program = new URL('./stream-holder.ts', import.meta.url);
    this.#holders = Array.from({ length: holders }, () => fork(program));
  }

  /** @throws Error when an attempt was not started */
  async start(attempts: number): Promise<void> {
    await this.#ask('start', attempts / this.#holders.length);
  }

  /** Resolves when each has brought its first event. @throws Error when one was refused */
  async open(): Promise<void> {
    await this.#ask('open');
  }

  async count(): Promise<{ open: number; ended: number }> {
    const counts = await this.#ask('count');
    return {
      open: counts.reduce((sum, { open }) => sum + open, 0),
      ended: counts.reduce((sum, { ended }) => sum + ended, 0),
    };
  }

  stop(): void {
    for (const holder of this.#holders) holder.kill('SIGKILL');
  }

  #ask(kind: HolderJob['kind'], attempts = 0) {
    const asked = this.#holders.map(async (holder, index) => {
      const job: HolderJob = {
        kind,
        port: this.#port,
        attempts,
        localAddress: `127.0.0.${index + 2}`,
      };
      const answer = await new Promise<HolderAnswer>((resolve) => {
        holder.once('message', (told: HolderAnswer) => resolve(told));
        holder.send(job);
      });
      if ('error' in answer) throw new Error(answer.error);
      return answer;
    });
    return Promise.all(asked);
  }
}
