import type { Rules } from '../domain/rules.ts';
import type { Ms } from '../domain/time.ts';
import type { Clients } from '../ports/clients.ts';
import type { IdentityProvider } from '../ports/identity-provider.ts';
import type { Meter, Random } from '../ports/runtime.ts';
import type { SignedResults } from '../ports/signed-results.ts';
import type { Simulation } from '../ports/simulation.ts';
import type { Store } from '../ports/store.ts';
import type { RepeatedEvents } from './repeated-events.ts';
import type { HeldSpoils } from './held-spoils.ts';
import type { AttemptLock } from './attempt-lock.ts';
import type { UnknownIds } from './start/unknown-ids.ts';

/** What every flow works with. Time is not in it: each call is given its `now`. */
export interface Services {
  readonly rules: Rules;
  readonly store: Store;
  readonly provider: IdentityProvider;
  readonly clients: Clients;
  readonly random: Random;
  readonly meter: Meter;
  readonly attemptLock: AttemptLock;
  readonly heldSpoils: HeldSpoils;
  readonly unknownIds: UnknownIds;
  readonly repeated: RepeatedEvents;
  /** The server's secret, 32 bytes. */
  readonly serverKey: Uint8Array;
  readonly tokenLifetimeMs: Ms;
}

/** Only in simulator mode somebody can decide for the person. */
export interface SimulatorServices extends Services {
  readonly simulation: Simulation;
}

/** Only in live mode somebody signs for the person. */
export interface LiveServices extends Services {
  readonly signed: SignedResults;
}
