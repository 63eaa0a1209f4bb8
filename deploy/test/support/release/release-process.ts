import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import process from 'node:process';
import { until } from '../../../../service/test/support/programs/until.ts';
import { keptCode } from './built-release.ts';

/** Prevents waiting for ever; a busy machine needs seconds for a start. */
const START_LIMIT_MS = 120_000;
/** Of `nobody` on every system that the tests know. */
export const NOBODY = 65_534;

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Another user can be taken only by root; others run as themselves. */
const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Killed at the end of a run: a test that times out does not come to its end. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A command of a release, run by somebody who can only read it. */
export class ReleaseProcess implements AsyncDisposable {
  readonly ended: Promise<Said>;
  readonly #child: ChildProcess;

  constructor(
    release: string,
    [command = '', ...args]: readonly string[],
    { settings = {}, cwd = '/' }: RunOptions = {},
  ) {
    this.#child = spawn(join(release, 'bin', command), args, {
      cwd,
      // No Node of the machine can be found.
      env: { PATH: '/usr/bin:/bin', ...keptCode(), ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...asNobody,
    });
    running.add(this.#child);
    this.ended = this.#said();
  }

  /** @throws Error with its output if it ends before it is ready */
  async ready(origin: string): Promise<void> {
    const limit = AbortSignal.timeout(START_LIMIT_MS);
    await until(async () => {
      if (this.#child.exitCode !== null) throw new Error(JSON.stringify(await this.ended));
      limit.throwIfAborted();
      return isReady(origin);
    });
  }

  /** The program that answers to the signals, as the system names it. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async stop(): Promise<Said> {
    this.#child.kill('SIGTERM');
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  async #said(): Promise<Said> {
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('its output is not read');
    const [out, err] = [text(stdout), text(stderr)];
    const [code] = (await once(this.#child, 'exit')) as [number | null];
    running.delete(this.#child);
    return { code, out: await out, err: await err };
  }
}

async function isReady(origin: string): Promise<boolean> {
  return fetch(`${origin}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
}
