import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ask } from '../postgres/databases.ts';
import type { PostgresPair } from '../postgres/pair.ts';
import { until } from '../programs/until.ts';
import type { History } from './history.ts';
import type { InstancesUnderLoad } from './instances-under-load.ts';

/** How long the standby receives nothing before the primary is killed. */
const STALL_MS = 400;
const COUNT = 'SELECT (SELECT count(*) FROM attempts) AS attempts, sequence FROM audit_head';

export interface FailoverReport {
  readonly failovers: number;
  readonly attempts: number;
  readonly tokens: number;
  readonly answers: number;
  /** Requests that were answered with 503 between the kill and the first write. */
  readonly unavailable: number;
  /** From each kill until both instances had written again, in ms. The promotion is in it. */
  readonly recoveriesMs: readonly number[];
  readonly violations: readonly string[];
}

interface FailoverOptions {
  /** Whether a commit waits for the standby. */
  readonly isSynchronous?: boolean;
  readonly onFailover?: (done: number, history: History) => void;
}

/**
 * Under load the standby stops receiving, then the primary is killed and the standby promoted.
 * Both instances name both servers and go on by themselves. The killed server becomes the standby
 * of the next failover.
 */
export async function runFailovers(
  pair: PostgresPair,
  load: InstancesUnderLoad,
  failovers: number,
  { isSynchronous = true, onFailover = () => undefined }: FailoverOptions = {},
): Promise<FailoverReport> {
  load.startAnew();
  const recoveriesMs: number[] = [];
  const { history } = load;
  while (recoveriesMs.length < failovers && history.violations.length === 0) {
    await pair.complete();
    await pair.setSynchronous(isSynchronous);
    await load.during(async () => {
      recoveriesMs.push(await failOver(pair, load));
    });
    await load.look(pair.primary.url);
    onFailover(recoveriesMs.length, history);
  }
  await load.look(pair.primary.url, history.attempts);
  const { attempts, answers, unavailable, violations } = history;
  return {
    failovers: recoveriesMs.length,
    attempts: attempts.length,
    tokens: attempts.filter(({ tokens }) => tokens.size > 0).length,
    answers,
    unavailable,
    recoveriesMs,
    violations,
  };
}

/**
 * The killed primary (of the last failover, or of one here) comes back on its old timeline, as if
 * nothing had happened, while the present one is away. The instances name it too, and must not use
 * it.
 */
export async function meetFormerPrimary(
  pair: PostgresPair,
  load: InstancesUnderLoad,
): Promise<void> {
  const { history } = load;
  if (pair.isComplete) await replacePrimary(pair, load);
  const { primary, standby: former } = pair;
  await former.start();
  // By itself it would acknowledge everything.
  await ask(former.url, 'ALTER SYSTEM RESET synchronous_standby_names');
  await ask(former.url, 'SELECT pg_reload_conf()');
  const before = await ask(former.url, COUNT);
  await load.during(async () => {
    await primary.stop();
    await until(() =>
      load.instances.every((instance) => instance.stdout().includes('former primary')),
    );
    await primary.start();
    await load.untilWritable();
  });
  await load.look(primary.url);
  const after = await ask(former.url, COUNT);
  if (isDeepStrictEqual(before, after)) return;
  history.violations.push(`a former primary was written to: ${JSON.stringify({ before, after })}`);
}

async function replacePrimary(pair: PostgresPair, load: InstancesUnderLoad): Promise<void> {
  await pair.primary.kill();
  await pair.promote();
  await load.untilWritable();
}

async function failOver(pair: PostgresPair, load: InstancesUnderLoad): Promise<number> {
  const endReceiver = await pair.stallReplication();
  await wait(STALL_MS);
  const killed = performance.now();
  await pair.primary.kill();
  endReceiver();
  await pair.promote();
  await load.untilWritable();
  return Math.round(performance.now() - killed);
}
