import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { until } from '../../../../service/test/support/programs/until.ts';
import { builtRelease, keptCode } from '../release/built-release.ts';

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The user, where the test is root's. */
  readonly uid?: number;
}

/** The commands of a release that is installed in a folder. */
export class Installed {
  readonly release: string;

  constructor(release: string) {
    this.release = release;
  }

  program(name: string): string {
    return join(this.release, 'bin', name);
  }

  /** Runs a command of `bin/miftah` to its end, with nothing on standard input. */
  async miftah(args: readonly string[], options: RunOptions = {}): Promise<Said> {
    const child = this.#spawn('miftah', args, options);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (child.exitCode === null) await once(child, 'exit');
    return { code: child.exitCode, out, err };
  }

  /** Starts a program that runs until the test has ended. */
  start(name: string, args: readonly string[], options: RunOptions = {}): Running {
    const child = this.#spawn(name, args, options);
    const running = new Running(child);
    onTestFinished(async () => void (await running.stop()));
    return running;
  }

  #spawn(name: string, args: readonly string[], { env, cwd, uid }: RunOptions) {
    return spawn(this.program(name), args, {
      env: { PATH: '/usr/bin:/bin', ...keptCode(), ...env },
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid, gid: uid }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}

/** A program in a process of its own. */
export class Running {
  readonly #child: ChildProcess;
  #said = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => (this.#said += chunk));
    }
  }

  /** All that it has written. */
  get said(): string {
    return this.#said;
  }

  /** @throws Error with its output when it ends before it answers with 200 */
  async answers(address: string): Promise<void> {
    await until(async () => {
      if (this.#child.exitCode !== null) throw new Error(`it has ended:\n${this.#said}`);
      return (await statusOf(address)) === 200;
    });
  }

  /** @returns its exit code */
  async stop(): Promise<number | null> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return exitCode;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
    return this.#child.exitCode;
  }
}

/** Asks 127.0.0.1 under the name in the address. Null where nobody answers. */
function statusOf(address: string): Promise<number | null> {
  const { port, host, pathname } = new URL(address);
  return new Promise((resolve) => {
    const request = get(
      { port, host: '127.0.0.1', path: pathname, headers: { host } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? null);
      },
    );
    request.on('error', () => resolve(null));
  });
}

export async function installed(): Promise<Installed> {
  const release = await builtRelease('full');
  // The folder is private to root; other users run commands of the release too.
  chmodSync(dirname(release), 0o711);
  return new Installed(release);
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
