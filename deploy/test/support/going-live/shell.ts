import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';
import { until } from '../../../../service/test/support/programs/until.ts';
import { keptCode } from '../release/built-release.ts';

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** One shell for all blocks of a page, so that variables and functions stay. */
export class Shell {
  readonly #folder: string;
  readonly #child;
  #blocks = 0;
  #said = '';
  #arrived: (() => void) | null = null;

  /** @param programs the folder that comes first on the PATH */
  constructor(folder: string, programs: string) {
    this.#folder = folder;
    // A process group of its own, which ends as one with all that goes on.
    this.#child = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      detached: true,
      env: { PATH: `${programs}:/usr/bin:/bin`, HOME: folder, TMPDIR: folder, ...keptCode() },
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
      this.#arrived?.();
    });
    onTestFinished(() => this.#end());
  }

  async run(script: string): Promise<Ran> {
    const { path, log } = this.#write(script);
    const code = await this.#tell(
      `. ${path} > ${log} 2>&1 < /dev/null; echo "ended $?"`,
      /ended (\d+)\n/,
    );
    return { code: Number(code), output: readFileSync(log, 'utf8') };
  }

  /** Starts a block that goes on until the end of the test. @returns the file that has its output */
  async start(script: string): Promise<string> {
    const { path, log } = this.#write(script);
    await this.#tell(`(. ${path}) > ${log} 2>&1 < /dev/null & echo "started"`, /(started)\n/);
    return log;
  }

  #write(script: string) {
    this.#blocks += 1;
    const path = join(this.#folder, `block-${this.#blocks}.sh`);
    const log = join(this.#folder, `block-${this.#blocks}.log`);
    writeFileSync(path, script);
    writeFileSync(log, '');
    return { path, log };
  }

  async #tell(line: string, answer: RegExp): Promise<string> {
    this.#said = '';
    this.#child.stdin.write(`${line}\n`);
    for (;;) {
      const [, found] = answer.exec(this.#said) ?? [];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.#arrived = resolve));
    }
  }

  /** Ends all that was started, and waits for it. */
  async #end(): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined) return;
    process.kill(-pid, 'SIGTERM');
    await until(() => !isThere(pid));
  }
}

function isThere(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}
