import { setTimeout as wait } from 'node:timers/promises';
import { ApiClient, Unanswered, type Answer } from '../programs/api-client.ts';
import type { History } from './history.ts';
import { isRefusal } from './load-balancer.ts';
import type { SeededRandom } from './seeded-random.ts';
import { OPERATIONS, type Writer } from './writers.ts';

/**
 * An instance that was killed refuses connections at once, and one without its database answers 503
 * at once: without a pause writers would spin, and take the processor from what has to come back.
 */
const PAUSE_MS = 100;
const SECOND_MS = 1000;

export interface Traffic {
  /** The instances of one service. Each request goes to the next one. */
  readonly origins: readonly string[];
  readonly writers: number;
  readonly history: History;
  readonly random: SeededRandom;
  /** Without it each writer ends with its first request that is not answered. */
  readonly isOver?: () => boolean;
  /** How many operations all writers together begin in a second, at most. By default no limit. */
  readonly perSecond?: number;
  /**
   * Whether a refused connection is tried at the next instance: never by default; by clients that
   * keep their connections, or that open one for each request.
   */
  readonly retriesElsewhere?: 'on kept connections' | 'on new connections';
  /** Makes a request that is not answered a violation, which begins with these words. */
  readonly mustBeAnswered?: string;
}

/** Applications that start, complete, redeem and revoke. */
export async function runTraffic(traffic: Traffic): Promise<void> {
  const clients = clientsOf(traffic);
  let turn = 0;
  const writer: Writer = {
    get client() {
      turn += 1;
      return clients[turn % clients.length] ?? raiseNoInstance();
    },
    history: traffic.history,
    random: traffic.random,
  };
  const pace = paceOf(traffic.perSecond);
  const working = Array.from({ length: traffic.writers }, async () => {
    await keepWorking(writer, pace, traffic);
  });
  await Promise.all(working);
  for (const client of clients) client.close();
}

function clientsOf({ origins, history, retriesElsewhere }: Traffic): ApiClient[] {
  if (retriesElsewhere === undefined) return origins.map((origin) => new ApiClient(origin));
  const keepAlive = retriesElsewhere === 'on kept connections';
  const clients = origins.map((origin) => new RetryingClient(origin, history, keepAlive));
  for (const [index, client] of clients.entries()) {
    client.next = clients[(index + 1) % clients.length] ?? null;
  }
  return clients;
}

/** Tries the next instance when a connection is refused: then nothing was sent. */
class RetryingClient extends ApiClient {
  next: RetryingClient | null = null;
  readonly #history: History;

  constructor(origin: string, history: History, keepAlive: boolean) {
    super(origin, { keepAlive });
    this.#history = history;
  }

  override async send(...asked: Parameters<ApiClient['send']>): Promise<Answer> {
    try {
      return await super.send(...asked);
    } catch (error) {
      const isRefused = error instanceof Unanswered && isRefusal(error.cause);
      if (!isRefused || this.next === null) throw error;
      this.#history.retried += 1;
      return this.next.sendOnce(...asked);
    }
  }

  sendOnce(...asked: Parameters<ApiClient['send']>): Promise<Answer> {
    return super.send(...asked);
  }
}

function raiseNoInstance(): never {
  throw new Error('traffic needs an instance');
}

/** @returns what to wait for before each operation */
function paceOf(perSecond: number | undefined): () => Promise<void> {
  if (perSecond === undefined) return () => Promise.resolve();
  let next = performance.now();
  return async () => {
    const now = performance.now();
    next = Math.max(next + SECOND_MS / perSecond, now);
    await wait(next - now);
  };
}

async function keepWorking(
  writer: Writer,
  pace: () => Promise<void>,
  { isOver, mustBeAnswered }: Traffic,
): Promise<void> {
  const { history } = writer;
  for (;;) {
    await pace();
    const { unavailable } = history;
    const isAnswered = await workOnce(writer, mustBeAnswered);
    if (isOver === undefined ? !isAnswered : isOver()) return;
    if (!isAnswered || history.unavailable > unavailable) await wait(PAUSE_MS);
  }
}

/** @returns whether the service answered */
async function workOnce(writer: Writer, mustBeAnswered: string | undefined): Promise<boolean> {
  const { history } = writer;
  const began = performance.now();
  try {
    await writer.random.pick(OPERATIONS)(writer);
    return true;
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    if (mustBeAnswered === undefined) history.unanswered += 1;
    else history.violations.push(`${mustBeAnswered}: ${error.message} was not answered`);
    return false;
  } finally {
    history.slowestMs = Math.max(history.slowestMs, Math.round(performance.now() - began));
  }
}
