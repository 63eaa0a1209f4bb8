import type { Client } from '../account/client.ts';
import type { Finding } from '../operate/doctor/finding.ts';
import type { RateLimiter } from '../platform/coordination/coordination.port.ts';
import type { ServerKeys } from '../platform/keys/server-keys.port.ts';
import type { Clock, Random } from '../platform/runtime.port.ts';
import type { Store } from '../store/ports/store.port.ts';
import type { OperatorRoles } from '../values/operator-role.ts';
import type { Secret } from '../values/secret.ts';

/** The provider that signs operators in. */
export interface OperatorPeople {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** As they are now. @throws Error where nobody knows */
  readonly roles: () => OperatorRoles;
}

/** What the pages for operators work with. Nothing of a simulator is in it. */
export interface OperatorContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: ServerKeys;
  /** Lets other work have its turn. */
  readonly pause: () => Promise<void>;
  readonly clients: () => readonly Client[];
  /** Counts the unknown numbers of clients, and the searches of operators. */
  readonly counts: RateLimiter;
  /** Counts requests by address. */
  readonly limits: RateLimiter;
  /** Null where this process was not started by a command line that the doctor can be given. */
  readonly examine: (() => Promise<readonly Finding[]>) | null;
  /** Logs a failure without its text, which may quote a request, and with a reason that quotes none. */
  readonly logFailure: (failure: unknown, message: string, reason?: string) => void;
  /** Logs what is no failure of the service. */
  readonly logWarning: (reason: string, message: string) => void;
  /** Null: links sign in. */
  readonly people: OperatorPeople | null;
  /** The origin of the pages. */
  readonly url: string;
  readonly allowedHosts: readonly string[];
}
