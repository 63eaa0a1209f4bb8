import type { Plan } from '../plan.ts';
import type { BenchServer, Round } from './bench-server.ts';
import {
  CONTENDERS,
  streamsOf,
  type Contender,
  type ContenderId,
  type ServerName,
} from './contenders.ts';

export type Servers = Readonly<Record<ServerName, BenchServer>>;
export type Rounds = ReadonlyMap<ContenderId, readonly Round[]>;

/** More than a round can use up in a second, on a machine of today. */
const PENDING_PER_SECOND = 4000;
const AUTHENTICATED_PER_SECOND = 3000;

/**
 * All contenders in turn, again and again, each time beginning with another one: whatever else the
 * machine does in the meantime weighs on all of them, and none is always first.
 */
export async function runRounds(
  servers: Servers,
  plan: Plan,
  onRound: (round: number) => void,
): Promise<Rounds> {
  for (const contender of CONTENDERS) {
    await runOnce(contender, servers, plan.connections, plan.warmUpSeconds);
  }
  const rounds = new Map(CONTENDERS.map(({ id }): [ContenderId, Round[]] => [id, []]));
  for (let round = 0; round < plan.rounds; round += 1) {
    onRound(round);
    for (const contender of rotated(CONTENDERS, round)) {
      const measured = await runOnce(contender, servers, plan.connections, plan.roundSeconds);
      rounds.get(contender.id)?.push(measured);
    }
  }
  return rounds;
}

async function runOnce(
  contender: Contender,
  servers: Servers,
  connections: number,
  seconds: number,
): Promise<Round> {
  const server = servers[contender.server];
  if (contender.server === 'sqlite') {
    await server.prepare({
      pending: seconds * PENDING_PER_SECOND,
      authenticated: contender.id === 'token' ? seconds * AUTHENTICATED_PER_SECOND : 0,
    });
  }
  return server.measure(streamsOf(contender, connections), seconds);
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const from = by % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}
