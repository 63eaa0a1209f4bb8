import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const FORWARD = fileURLToPath(new URL('../postgres/programs/forward.ts', import.meta.url));
/** A hardware address that nobody on the link has. */
const NOBODY = '02:00:00:00:00:99';
/** Addresses that are reserved for measurements (RFC 2544), in blocks of four. */
const BLOCKS = 64;

/**
 * A network namespace of its own, from which a Unix socket of this machine can be reached by TCP:
 * the way between a service and its database, which can be cut. Needs root on Linux, and `ip`.
 * Elsewhere this is null, and the caller must print what it leaves out.
 */
export async function openNetwork(socketPath: string): Promise<CutNetwork | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  const network = new CutNetwork();
  if (await network.open(socketPath)) return network;
  network.close();
  return null;
}

class CutNetwork {
  readonly #name = `mf${randomBytes(4).toString('hex')}`;
  readonly #block = `198.18.${randomInt(256)}.${randomInt(BLOCKS) * 4}`.split('.');
  #forwarder: ChildProcess | null = null;
  #port = '';

  /** Host and port that lead to the socket. */
  get host(): string {
    return `${this.#address(2)}:${this.#port}`;
  }

  async open(socketPath: string): Promise<boolean> {
    const [name, here, there] = [this.#name, `${this.#name}a`, `${this.#name}b`];
    const isOpen = [
      ['netns', 'add', name],
      ['link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name],
      ['addr', 'add', `${this.#address(1)}/30`, 'dev', here],
      ['link', 'set', here, 'up'],
      ['-n', name, 'addr', 'add', `${this.#address(2)}/30`, 'dev', there],
      ['-n', name, 'link', 'set', there, 'up'],
    ].every((words) => ip(...words));
    if (isOpen) this.#port = await this.#forward(socketPath);
    return isOpen;
  }

  /** From now on nothing arrives any more, and nobody is told: packets go to nobody's address. */
  cut(): void {
    this.#change('replace', this.#address(2), 'lladdr', NOBODY, 'nud', 'permanent');
  }

  mend(): void {
    this.#change('del', this.#address(2));
  }

  close(): void {
    this.#forwarder?.kill('SIGKILL');
    ip('netns', 'del', this.#name);
  }

  async #forward(socketPath: string): Promise<string> {
    const program = [process.execPath, FORWARD, this.#address(2), socketPath];
    const child = spawn('ip', ['netns', 'exec', this.#name, ...program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#forwarder = child;
    const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
    return port;
  }

  #address(last: number): string {
    const [one, two, three, four] = this.#block;
    return [one, two, three, Number(four) + last].join('.');
  }

  #change(...words: string[]): void {
    const [verb = '', ...rest] = words;
    const isDone = ip('neigh', verb, ...rest, 'dev', `${this.#name}a`);
    if (!isDone) throw new Error(`ip neigh ${words.join(' ')} failed`);
  }
}

function ip(...words: string[]): boolean {
  return spawnSync('ip', words, { stdio: 'ignore' }).status === 0;
}
