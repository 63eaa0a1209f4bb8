import type { TokenMark } from '../domain/api-token.ts';
import type { Ms } from '../domain/time.ts';
import type { IdentityProvider } from '../ports/identity-provider.ts';
import type { Random } from '../ports/runtime.ts';
import type { Simulation } from '../ports/simulation.ts';
import type { Store } from '../ports/store.ts';

/** What every flow works with. Time is not in it: each call is given its `now`. */
export interface Tools {
  readonly store: Store;
  readonly provider: IdentityProvider;
  readonly simulation: Simulation;
  readonly random: Random;
  /** The server's secret, 32 bytes. */
  readonly serverKey: Uint8Array;
  readonly tokenMark: TokenMark;
  readonly tokenLifetimeMs: Ms;
}
