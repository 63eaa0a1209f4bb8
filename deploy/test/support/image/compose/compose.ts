import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { until } from '../../../../../service/test/support/programs/until.ts';
import { ENGINE_PAUSE_MS, type Engine } from '../engine.ts';
import { keepLog } from '../keep-log.ts';
import { inOrder, readComposeFile, type ComposeFile, type ComposeService } from './compose-file.ts';
import { Networks } from './networks.ts';
import { optionsOf, type Place } from './options.ts';

export interface ComposePlan {
  readonly path: string;
  /** The first three numbers of the addresses of the network that is not internal. */
  readonly front: string;
  readonly variables: Readonly<Record<string, string>>;
  /** More options for the containers of an image. */
  readonly optionsFor: (image: string) => readonly string[];
}

/**
 * Runs a compose file with podman. Debian's podman-compose does not wait for conditions, and needs
 * networks that change the packet filter of the machine.
 */
export class Compose implements AsyncDisposable {
  readonly networks = new Networks();
  readonly #engine: Engine;
  readonly #plan: ComposePlan;
  readonly #place: Place;
  readonly #file: ComposeFile;
  readonly #started: string[] = [];

  constructor(engine: Engine, plan: ComposePlan) {
    this.#engine = engine;
    this.#plan = plan;
    this.#file = readComposeFile(plan.path, plan.variables);
    this.#place = {
      folder: dirname(plan.path),
      file: this.#file,
      project: `miftah-${randomUUID()}`,
    };
  }

  /** Starts every service when those that it waits for are as far as it says. */
  async up(): Promise<void> {
    await this.networks.open(this.#file, this.#plan.front);
    for (const name of inOrder(this.#file)) {
      const service = this.#file.services[name];
      if (service === undefined) continue;
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        if (condition === 'service_healthy') await this.becomesHealthy(other);
        else await this.#endsWell(other);
      }
      await this.#start(name, service);
    }
  }

  nameOf(service: string): string {
    return `${this.#place.project}-${service}`;
  }

  log(service: string): Promise<string> {
    return this.#engine.expectPodman('logs', this.nameOf(service));
  }

  async isRunning(service: string): Promise<boolean> {
    return (await this.#inspect(service, '{{.State.Running}}')) === 'true';
  }

  /** With the signal and in the time of the file. @returns the exit code */
  async stop(service: string): Promise<number> {
    await this.#engine.expectPodman('stop', this.nameOf(service));
    return Number(await this.#inspect(service, '{{.State.ExitCode}}'));
  }

  async startAgain(service: string): Promise<void> {
    await this.#engine.expectPodman('start', this.nameOf(service));
    await this.becomesHealthy(service);
  }

  /** What the kernel says of its first process, by name. */
  async statusOf(service: string): Promise<ReadonlyMap<string, string>> {
    const pid = await this.#inspect(service, '{{.State.Pid}}');
    const fields = readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(/^(\w+):\s*(.*)$/gm);
    return new Map([...fields].map(([, name = '', value = '']) => [name, value]));
  }

  async hasReadOnlyRoot(service: string): Promise<boolean> {
    const pid = await this.#inspect(service, '{{.State.Pid}}');
    const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
    const root = mounts.map((line) => line.split(' ')).find((fields) => fields[4] === '/');
    return root?.[5]?.split(',').includes('ro') ?? false;
  }

  /** The limits of its cgroup, as the engine was told them. */
  async limitsOf(service: string): Promise<{ bytes: number; processes: number }> {
    const told = await this.#inspect(
      service,
      '{"bytes":{{.HostConfig.Memory}},"processes":{{.HostConfig.PidsLimit}}}',
    );
    return JSON.parse(told) as { bytes: number; processes: number };
  }

  /** @throws Error with its log when it has ended instead */
  async becomesHealthy(service: string): Promise<void> {
    await until(async () => {
      const { code } = await this.#engine.podman('healthcheck', 'run', this.nameOf(service));
      if (code === 0) return true;
      if (!(await this.isRunning(service))) throw new Error(await this.log(service));
      return false;
    }, ENGINE_PAUSE_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#started.toReversed()) {
      await keepLog(this.#engine, this.nameOf(name));
      await this.#engine.podman('rm', '--force', '--time', '0', this.nameOf(name));
    }
    for (const volume of Object.keys(this.#file.volumes)) {
      await this.#engine.podman('volume', 'rm', '--force', this.nameOf(volume));
    }
    await this.networks[Symbol.asyncDispose]();
  }

  async #start(name: string, service: ComposeService): Promise<void> {
    this.#started.push(name);
    await this.#engine.expectPodman(
      'run',
      '--detach',
      `--name=${this.nameOf(name)}`,
      `--cgroup-parent=${this.#engine.cgroup}`,
      ...optionsOf(service, this.#place),
      ...this.networks.optionsOf(name),
      ...this.#plan.optionsFor(service.image),
      service.image,
      ...(service.command ?? []),
    );
  }

  async #endsWell(service: string): Promise<void> {
    await until(async () => !(await this.isRunning(service)), ENGINE_PAUSE_MS);
    if ((await this.#inspect(service, '{{.State.ExitCode}}')) === '0') return;
    throw new Error(`${service} failed: ${await this.log(service)}`);
  }

  #inspect(service: string, format: string): Promise<string> {
    return this.#engine.expectPodman('inspect', '--format', format, this.nameOf(service));
  }
}
