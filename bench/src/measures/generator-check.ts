import autocannon from 'autocannon';
import { median } from '../figures/figures.ts';
import type { BenchServer } from './bench-server.ts';

/** Answers per second of the raw server. */
export interface GeneratorCheck {
  readonly ours: number;
  readonly autocannon: number;
}

interface Load {
  readonly connections: number;
  readonly seconds: number;
}

const ROUNDS = 3;

/** A second opinion on our own load generator, from a program that we have not written. */
export async function checkGenerator(
  raw: BenchServer,
  port: number,
  load: Load,
): Promise<GeneratorCheck> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const measured = await raw.measure(
      [{ kind: 'raw', connections: load.connections }],
      load.seconds,
    );
    ours.push(measured.perSecond);
    theirs.push(await runAutocannon(port, load));
  }
  return { ours: median(ours), autocannon: median(theirs) };
}

async function runAutocannon(port: number, { connections, seconds }: Load): Promise<number> {
  const headers = { 'x-provider-attempt-token': 'a'.repeat(64) };
  const url = `http://127.0.0.1:${port}/`;
  const { requests } = await autocannon({ url, headers, connections, duration: seconds });
  return requests.average;
}
