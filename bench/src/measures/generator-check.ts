import autocannon from 'autocannon';
import { median } from '../figures/figures.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { BenchServer } from './bench-server.ts';
import { CONNECTIONS } from './contenders.ts';

/** Answers per second of the raw server. */
export interface GeneratorCheck {
  readonly ours: number;
  readonly autocannon: number;
}

const ROUNDS = 3;

/** Checks our load generator against an independent one. */
export async function checkGenerator(seconds: number): Promise<GeneratorCheck> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const process = await ServerProcess.floor('raw');
  const raw = new BenchServer(process, null);
  for (let round = 0; round < ROUNDS; round += 1) {
    const measured = await raw.measure([{ kind: 'raw', connections: CONNECTIONS }], seconds);
    ours.push(measured.perSecond);
    theirs.push(await runAutocannon(process.port, seconds));
  }
  await raw.stop();
  return { ours: median(ours), autocannon: median(theirs) };
}

async function runAutocannon(port: number, duration: number): Promise<number> {
  const headers = { 'x-provider-attempt-token': 'a'.repeat(64) };
  const url = `http://127.0.0.1:${port}/`;
  const { requests } = await autocannon({ url, headers, connections: CONNECTIONS, duration });
  return requests.average;
}
