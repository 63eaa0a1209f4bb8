import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import type { Environment } from '../../../../scripts/rehearsal.ts';
import { until } from '../../../../service/test/support/programs/until.ts';
import { ENGINE_PAUSE_MS, type Engine } from './engine.ts';
import { keepLog } from './keep-log.ts';

/** What docs/containers.md says that a container of the service should be given. */
const HARDENED = [
  '--runtime=runc --read-only --read-only-tmpfs=false --cap-drop=all --user=10001:10001',
  '--security-opt=no-new-privileges --ulimit=nofile=16384:16384 --ulimit=nproc=512:512',
  '--ulimit=core=0:0 --pids-limit=200 --memory=512m',
].flatMap((options) => options.split(' '));

export interface ContainerPlan {
  readonly image: string;
  readonly settings: Environment;
  /** What is mounted, as for `--volume`. */
  readonly volumes?: readonly string[];
  readonly entrypoint?: readonly string[];
  /** By default the network of the machine, with addresses of loopback. */
  readonly network?: readonly string[];
  readonly command?: readonly string[];
}

/** A container that runs in the background until its test ends. */
class Container implements AsyncDisposable {
  readonly name = `miftah-${randomUUID()}`;
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async start(plan: ContainerPlan): Promise<void> {
    await this.#engine.expectPodman('run', '--detach', '--name', this.name, ...this.#args(plan));
  }

  /**
   * Runs until it ends by itself. `podman wait` would take twenty seconds: it waits for a process
   * that tells of the end, and which does not know the folder of this run.
   */
  async run(plan: ContainerPlan): Promise<{ code: number; output: string }> {
    await this.start(plan);
    await until(async () => !(await this.isRunning()), ENGINE_PAUSE_MS);
    return { code: await this.exitCode(), output: await this.log() };
  }

  async log(): Promise<string> {
    return (await this.#engine.podman('logs', this.name)).output;
  }

  /** Waits until its output has this text. */
  async says(text: string): Promise<string> {
    let log = '';
    await until(async () => {
      log = await this.log();
      if (log.includes(text)) return true;
      if (await this.isRunning()) return false;
      // It may have said it at its end.
      log = await this.log();
      return true;
    }, ENGINE_PAUSE_MS);
    expect(log).toContain(text);
    return log;
  }

  async isRunning(): Promise<boolean> {
    return (await this.inspect('{{.State.Running}}')) === 'true';
  }

  /** The health check of the image, run by hand; 0 is healthy. */
  checkHealth() {
    return this.#engine.podman('healthcheck', 'run', this.name);
  }

  inspect(format: string): Promise<string> {
    return this.#engine.expectPodman('inspect', '--format', format, this.name);
  }

  /** SIGTERM, and SIGKILL after as many seconds as container engines give. @returns the exit code */
  async stop(seconds = 10): Promise<number> {
    await this.#engine.expectPodman('stop', '--time', String(seconds), this.name);
    return this.exitCode();
  }

  async exitCode(): Promise<number> {
    return Number(await this.inspect('{{.State.ExitCode}}'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await keepLog(this.#engine, this.name);
    await this.#engine.podman('rm', '--force', '--time', '0', '--volumes', this.name);
  }

  #args({ image, settings, volumes = [], entrypoint, network, command = [] }: ContainerPlan) {
    const options = [`--cgroup-parent=${this.#engine.cgroup}`, ...(network ?? ['--network=host'])];
    for (const [name, value] of Object.entries(settings)) options.push(`--env=${name}=${value}`);
    for (const volume of volumes) options.push(`--volume=${volume}`);
    if (entrypoint !== undefined) options.push(`--entrypoint=${JSON.stringify(entrypoint)}`);
    return [...HARDENED, ...options, image, ...command];
  }
}

/** A container that is removed at the end of the test. */
export function containerForTest(engine: Engine): Container {
  const one = new Container(engine);
  onTestFinished(() => one[Symbol.asyncDispose]());
  return one;
}
