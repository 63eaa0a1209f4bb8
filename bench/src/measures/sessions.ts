import type { Plan } from '../plan.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import type { Round } from './bench-server.ts';
import type { ContenderId } from './contenders.ts';
import { runRounds, type Rounds } from './rounds.ts';
import { withServers, type Servers } from './servers.ts';

/** One round, with the number of the server's process: 0 for the first. */
export interface Sample extends Round {
  readonly process: number;
}

export type Samples = ReadonlyMap<ContenderId, readonly Sample[]>;

/**
 * The rounds of several processes of each server. Two processes with the same code on the same
 * machine can differ by a third during their whole life, because of the time and place at which
 * code was compiled.
 */
export async function runSessions(
  plan: Plan,
  say: (line: string) => void,
  more: (servers: Servers, rounds: Rounds, session: number) => Promise<void>,
): Promise<Samples> {
  const samples = new Map<ContenderId, Sample[]>();
  for (let session = 0; session < plan.processes; session += 1) {
    say(`rounds, process ${session + 1} of ${plan.processes} of each server`);
    await inNewFolder((folder) =>
      withServers(folder, async (servers) => {
        const rounds = await runRounds(servers, plan);
        for (const [id, ofOne] of rounds) {
          const told = ofOne.map((round) => ({ ...round, process: session }));
          samples.set(id, [...(samples.get(id) ?? []), ...told]);
        }
        await more(servers, rounds, session);
      }),
    );
  }
  return samples;
}
