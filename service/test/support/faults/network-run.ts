import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../postgres/server.ts';
import { ApiClient } from '../programs/api-client.ts';
import type { ServiceProcess } from '../programs/service-process.ts';
import { until } from '../programs/until.ts';
import { openNetwork } from './cut-network.ts';
import type { History } from './history.ts';
import { InstancesUnderLoad, type Pace } from './instances-under-load.ts';

export interface NetworkReport {
  readonly attempts: number;
  readonly tokens: number;
  readonly unavailable: number;
  /** The longest that anybody waited for an answer, in ms. */
  readonly slowestMs: number;
  /** From the end of the silence until both instances had acknowledged a write, in ms. */
  readonly recoveryMs: number;
  readonly violations: readonly string[];
}

/**
 * One of two instances is cut off from the database: what it sends is lost, and no connection is
 * reset. The other one goes on.
 * @param silenceMs how long it lasts after the instance has noticed it
 * @returns null where this can't be done
 */
export async function runCutOff(
  silenceMs: number,
  seed: number,
  pace: Pace = {},
): Promise<NetworkReport | null> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-socket-'));
  // The server runs as another user.
  chmodSync(folder, 0o777);
  const server = await startPostgres({ settings: { unix_socket_directories: folder } });
  const { host, port } = new URL(server.url);
  const network = await openNetwork(join(folder, `.s.PGSQL.${port}`));
  try {
    if (network === null) return null;
    const farUrl = `${server.url.replace(host, network.host)}?sslmode=disable`;
    const load = await InstancesUnderLoad.start([farUrl, server.url], seed, pace);
    try {
      return await cutOff(load, network, server.url, silenceMs);
    } finally {
      await load.close();
    }
  } finally {
    network?.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function cutOff(
  load: InstancesUnderLoad,
  network: { readonly cut: () => void; readonly mend: () => void },
  url: string,
  silenceMs: number,
): Promise<NetworkReport> {
  const [far, near] = load.instances;
  if (far === undefined || near === undefined) throw new Error('this needs two instances');
  const { history } = load;
  let recoveryMs = 0;
  await load.during(async () => {
    network.cut();
    await until(async () => (await readyzOf(far)) === 503);
    await wait(silenceMs);
    await expectAnswers(history, far, 503);
    await expectAnswers(history, near, 200);
    network.mend();
    recoveryMs = await load.untilWritable();
  });
  await load.look(url);
  const { attempts, unavailable, slowestMs, violations } = history;
  const tokens = attempts.filter((attempt) => attempt.tokens.size > 0).length;
  return { attempts: attempts.length, tokens, unavailable, slowestMs, recoveryMs, violations };
}

async function expectAnswers(
  history: History,
  { origin }: ServiceProcess,
  expected: number,
): Promise<void> {
  const client = new ApiClient(origin, { keepAlive: false });
  const livez = await client.send('GET', '/livez');
  if (livez.status !== 200) history.violations.push(`/livez is ${livez.status}`);
  const answers = [await client.send('GET', '/readyz'), await client.post('/start', START)];
  for (const { status, text } of answers) {
    if (status !== expected) history.violations.push(`${status} and not ${expected}: ${text}`);
  }
}

async function readyzOf({ origin }: ServiceProcess): Promise<number> {
  const client = new ApiClient(origin, { keepAlive: false });
  return (await client.send('GET', '/readyz')).status;
}

const START = { locale: 'en' };
