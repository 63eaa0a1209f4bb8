import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { findTool } from '../../../../scripts/debian.mjs';
import { until } from '../../../../service/test/support/programs/until.ts';
import { ControlGroup } from './control-group.ts';
import { debianRoot } from './debian-root.ts';
import { openRelay, type Relay } from './relay.ts';

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * A Debian that systemd has booted in a container, with a network of its own. What is written
 * in it is in memory, and gone at the end, except in folders of this machine.
 */
export class Machine {
  readonly #container: ChildProcess;
  /** The process number of its systemd, seen from here. */
  readonly #leader: number;
  readonly #relays: Relay[] = [];

  private constructor(container: ChildProcess, leader: number) {
    this.#container = container;
    this.#leader = leader;
  }

  /** @param release the folder of a release, which stays as it is */
  static boot(release: string): Promise<Machine> {
    return Machine.bootWith([`--bind-ro=${release}:/opt/miftah`]);
  }

  /** @param mounts folders of this machine, as options of systemd-nspawn */
  static async bootWith(mounts: readonly string[]): Promise<Machine> {
    const name = `miftah-${randomUUID()}`;
    const group = new ControlGroup(name);
    const [program = '', ...args] = group.run([
      findTool('systemd-nspawn') ?? 'systemd-nspawn',
      '--quiet',
      `--directory=${await debianRoot()}`,
      '--read-only',
      '--volatile=overlay',
      ...mounts,
      '--private-network',
      `--machine=${name}`,
      // This machine may have another init than systemd.
      '--register=no',
      '--keep-unit',
      '--console=pipe',
      '--boot',
    ]);
    const container = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    running.add(container);
    container.once('exit', () => {
      running.delete(container);
      group.remove();
    });
    const said = text(container.stderr);
    try {
      const machine = new Machine(container, await leaderOf(container));
      // The first ones fail, until systemd answers; the next one waits with it.
      await until(
        async () => /^(running|degraded)/.test((await machine.run(`${STATE} --wait`)).out),
        BOOT_PAUSE_MS,
      );
      // Fails where a unit has failed.
      await machine.expect(STATE);
      return machine;
    } catch (error) {
      container.kill('SIGKILL');
      throw new Error(`the machine has not booted: ${await said}`, { cause: error });
    }
  }

  /** Runs a script of the shell as root. */
  async run(script: string, input = ''): Promise<Said> {
    const child = spawn(NSENTER, [...this.#enter('--all'), 'sh', '-euc', script], {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin', LANG: 'C.UTF-8' },
    });
    // A program that reads no input may have ended.
    child.stdin.on('error', () => undefined).end(input);
    const said = [text(child.stdout), text(child.stderr)];
    const [code] = (await once(child, 'close')) as [number | null];
    const [out = '', err = ''] = await Promise.all(said);
    return { code, out, err };
  }

  /** @returns its standard output @throws Error when it fails, with the end of the journal */
  async expect(script: string, input = ''): Promise<string> {
    const { code, out, err } = await this.run(script, input);
    if (code === 0) return out.trim();
    const journal = await this.run(`journalctl --no-pager --output=short-precise --lines=60`);
    throw new Error(`exit code ${code} of: ${script}\n${out}${err}\n${journal.out}`);
  }

  /** Replaces a file of /etc/miftah, and gives it its mode. */
  async write(path: string, content: string): Promise<void> {
    await this.expect(`cat > ${path}; systemd-tmpfiles --create miftah.conf`, content);
  }

  /** What the service has said. */
  async journal(): Promise<string> {
    return this.expect('journalctl --no-pager --output=cat --unit=miftah');
  }

  /** Those of its systemd, as the kernel of this machine names them. */
  controlGroups(): string {
    return readFileSync(`/proc/${this.#leader}/cgroup`, 'utf8');
  }

  /** An address on this machine that leads to a port of loopback in the other one. */
  async relay(port: number): Promise<Relay> {
    const relay = await openRelay([NSENTER, ...this.#enter('--net')], port);
    this.#relays.push(relay);
    return relay;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const relay of this.#relays) relay.close();
    if (this.#container.exitCode !== null) return;
    const exited = once(this.#container, 'exit');
    // The shut down removes what a container has mounted here.
    await this.run('systemctl poweroff --force');
    await exited;
  }

  #enter(namespaces: string): string[] {
    return [`--target=${this.#leader}`, namespaces, '--'];
  }
}

const NSENTER = findTool('nsenter') ?? 'nsenter';
const STATE = 'systemctl is-system-running';
const BOOT_PAUSE_MS = 100;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const container of running) container.kill('SIGTERM');
});

/** Its child, as soon as that is systemd: before, others come and go. */
async function leaderOf(container: ChildProcess): Promise<number> {
  const { pid } = container;
  let leader = 0;
  await until(() => {
    if (container.exitCode !== null) throw new Error(`it ended with ${container.exitCode}`);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    leader = Number(children.find((child) => nameOf(child) === 'systemd') ?? 0);
    return leader !== 0;
  });
  return leader;
}

/** Empty for a process that has ended, which it can do while it is asked. */
function nameOf(pid: string): string {
  try {
    return pid === '' ? '' : readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}
