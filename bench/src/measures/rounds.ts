import { POLLED } from '../load/attempts.ts';
import type { Plan } from '../plan.ts';
import type { Round } from './bench-server.ts';
import { CONTENDERS, type Contender, type ContenderId } from './contenders.ts';
import type { Servers } from './servers.ts';

export type Rounds = ReadonlyMap<ContenderId, readonly Round[]>;

/** Beyond this number the simulator drops the oldest. A round that uses them up ends sooner. */
const MOST_PENDING = 9000;
const AUTHENTICATED_PER_SECOND = 6000;

/**
 * How much further down the list each round starts. It shares no factor with the number of
 * contenders, so that every contender is the first one once before any is a second time.
 */
const STEP = 7;

/**
 * Runs all contenders in turn, repeatedly, each time starting with another one, so that other load
 * on the machine affects all of them and none is always first.
 */
export async function runRounds(servers: Servers, plan: Plan): Promise<Rounds> {
  for (const contender of CONTENDERS) await runOnce(contender, servers, plan.warmUpSeconds);
  const rounds = new Map(CONTENDERS.map(({ id }): [ContenderId, Round[]] => [id, []]));
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const contender of orderOfRound(round)) {
      const measured = await runOnce(contender, servers, plan.roundSeconds);
      roundsOf(rounds, contender).push(measured);
    }
  }
  return rounds;
}

async function runOnce(contender: Contender, servers: Servers, seconds: number): Promise<Round> {
  const server = servers[contender.server];
  const kind = measuredKind(contender);
  if (kind === 'status') await server.prepare('start', { pending: POLLED });
  if (kind === 'complete') await server.prepare('start', { pending: MOST_PENDING });
  if (kind === 'token') {
    await server.prepare('start', { authenticated: seconds * AUTHENTICATED_PER_SECOND });
  }
  if (kind === 'cibaPoll') await server.prepare('cibaStart', { pending: POLLED });
  if (kind === 'openidCibaPoll') await server.prepare('openidCibaStart', { pending: POLLED });
  const round = await server.measure(contender.streams, seconds);
  return ofWholePieces(round, contender.requests);
}

function roundsOf(rounds: ReadonlyMap<ContenderId, Round[]>, { id }: Contender): Round[] {
  const found = rounds.get(id);
  if (found === undefined) throw new Error(`no rounds of ${id}`);
  return found;
}

function measuredKind({ id, streams: [first] }: Contender) {
  if (first === undefined) throw new Error(`${id} has no stream`);
  return first.kind;
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

export function orderOfRound(round: number): Contender[] {
  const from = (round * STEP) % CONTENDERS.length;
  return [...CONTENDERS.slice(from), ...CONTENDERS.slice(0, from)];
}
