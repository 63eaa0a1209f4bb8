import type { Plan } from '../plan.ts';
import type { Round } from './bench-server.ts';
import { CONTENDERS, type Contender, type ContenderId } from './contenders.ts';
import type { Servers } from './servers.ts';

export type Rounds = ReadonlyMap<ContenderId, readonly Round[]>;

/** Beyond this number the simulator drops the oldest. A round that uses them up ends sooner. */
const MOST_PENDING = 9000;
const POLLED = 4000;
const AUTHENTICATED_PER_SECOND = 6000;

/**
 * Runs all contenders in turn, repeatedly, each time starting with another one, so that other load
 * on the machine affects all of them and none is always first.
 */
export async function runRounds(servers: Servers, plan: Plan): Promise<Rounds> {
  for (const contender of CONTENDERS) await runOnce(contender, servers, plan.warmUpSeconds);
  const rounds = new Map(CONTENDERS.map(({ id }): [ContenderId, Round[]] => [id, []]));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const contender of rotated(CONTENDERS, round * 5)) {
      const measured = await runOnce(contender, servers, plan.roundSeconds);
      rounds.get(contender.id)?.push(measured);
    }
  }
  return rounds;
}

async function runOnce(contender: Contender, servers: Servers, seconds: number): Promise<Round> {
  const server = servers[contender.server];
  const [{ kind } = { kind: 'raw' }] = contender.streams;
  if (kind === 'status') await server.prepare('start', { pending: POLLED });
  if (kind === 'complete') await server.prepare('start', { pending: MOST_PENDING });
  if (kind === 'token') {
    await server.prepare('start', { authenticated: seconds * AUTHENTICATED_PER_SECOND });
  }
  if (kind === 'cibaPoll') await server.prepare('cibaStart', { pending: POLLED });
  const round = await server.measure(contender.streams, seconds);
  return ofWholePieces(round, contender.requests);
}

function ofWholePieces(round: Round, requests: number): Round {
  const { perSecond, cpuMicroseconds, mainMicroseconds } = round;
  const whole = (value: number | null) => (value === null ? null : value * requests);
  return {
    ...round,
    perSecond: perSecond / requests,
    cpuMicroseconds: whole(cpuMicroseconds),
    mainMicroseconds: whole(mainMicroseconds),
  };
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const from = by % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}
