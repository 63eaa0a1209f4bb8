import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { findPostgres, POSTGRES_HELP } from '../../../../scripts/postgres.mjs';
import type { ClusterOptions } from './cluster.ts';
import { madeData, newPassword } from './made-data.ts';

const SUPERVISOR = fileURLToPath(new URL('supervisor.ts', import.meta.url));
/** Longer than the supervisor waits for its server. */
const CLOSE_LIMIT_MS = 30_000;

export interface ServerOptions extends Partial<Omit<ClusterOptions, 'password' | 'made'>> {
  /** With data that initdb has made for it alone. */
  readonly isUnlikeOthers?: boolean;
}

/** A PostgreSQL server of our own, which ends when this process does. */
export interface PostgresServer {
  /** Of its superuser, and of the database `postgres`. */
  readonly url: string;
  /** The process that ends the server when this one dies. */
  readonly supervisor: number;
  /** In good order. Its data stays, and `start` starts it again, on the same port. */
  readonly stop: () => Promise<void>;
  /** By SIGKILL, as in a crash. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Ends it and replaces its data by those of a running server, as whose standby it can start. */
  readonly follow: (primaryUrl: string) => Promise<void>;
  /** Stops it, and removes its data. */
  readonly close: () => Promise<void>;
}

/**
 * Not durable unless asked for: see ClusterOptions.
 * @throws Error with what to do when the machine has no server programs
 */
export async function startPostgres(
  options: ServerOptions = {},
  find = findPostgres,
): Promise<PostgresServer> {
  const programs = options.programs ?? find();
  if (programs === undefined) throw new Error(POSTGRES_HELP);
  const { isDurable = false, settings = {}, follows = null } = options;
  const supervisor = new Supervisor();
  const cluster = { programs, isDurable, settings, follows, ...dataFor(options) };
  await supervisor.tell(JSON.stringify(cluster satisfies ClusterOptions));
  const port = String(await supervisor.tell('start'));
  return {
    url: `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres`,
    supervisor: supervisor.pid,
    stop: async () => void (await supervisor.tell('stop')),
    kill: async () => void (await supervisor.tell('kill')),
    start: async () => void (await supervisor.tell('start')),
    follow: async (primaryUrl) => void (await supervisor.tell(`follow ${primaryUrl}`)),
    close: () => supervisor.close(),
  };
}

/** A copy has the users and passwords of the original. */
function dataFor({
  follows,
  programs,
  isUnlikeOthers = false,
}: ServerOptions): Pick<ClusterOptions, 'password' | 'made'> {
  if (typeof follows === 'string') return { password: new URL(follows).password, made: null };
  const made = isUnlikeOthers || programs !== undefined ? null : madeData();
  return { password: made?.password ?? newPassword(), made: made?.folder ?? null };
}

/** Our end of the pipes to supervisor.ts. One command at a time. */
class Supervisor {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string, undefined>;
  #before: Promise<unknown> = Promise.resolve();

  constructor() {
    const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit'];
    this.#child = spawn(process.execPath, [SUPERVISOR], { stdio });
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  tell(line: string): Promise<unknown> {
    const answered = this.#before.then(() => this.#ask(line));
    this.#before = answered.catch(() => undefined);
    return answered;
  }

  async #ask(line: string): Promise<unknown> {
    this.#child.stdin.write(`${line}\n`);
    const next = await this.#answers.next();
    if (next.done === true) throw new Error('the supervisor of PostgreSQL has ended');
    const told = JSON.parse(next.value) as { value?: unknown; error?: string };
    if (told.error === undefined) return told.value;
    await this.close();
    throw new Error(told.error);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.stdin.end();
    const limit = AbortSignal.timeout(CLOSE_LIMIT_MS);
    limit.addEventListener('abort', () => this.#child.kill('SIGKILL'));
    await ended;
  }
}
