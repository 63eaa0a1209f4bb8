import type { FastifyInstance } from 'fastify';
import type { Mode } from '../domain/mode.ts';
import type { LiveServices, SimulatorServices, Services } from '../flow/services.ts';
import type { RateLimiter } from '../ports/coordination.ts';
import type { Clock, Timekeeper } from '../ports/runtime.ts';

/** Below the origin; every path of the interface document is relative to it. */
export const BASE_PATH = '/api/v1';

/** What the HTTP side works with. Made once by `program.ts`. */
export interface HttpContext<Kit extends Services = Services> {
  readonly services: Kit;
  readonly clock: Clock;
  readonly timekeeper: Timekeeper;
  /** Lets everything else that waits have its turn first. */
  readonly nextTurn: () => Promise<void>;
  /** Calls `work` in this turn of the event loop, after what has come in on all connections. */
  readonly atEndOfTurn: (work: () => void) => void;
  /** Null: nothing is counted. */
  readonly limiter: RateLimiter | null;
  readonly settings: HttpSettings;
}

export type SimulatorContext = HttpContext<SimulatorServices>;
export type LiveContext = HttpContext<LiveServices>;

export interface HttpSettings {
  /** Goes out as `X-Auth-Mode`. */
  readonly mode: Mode;
  readonly publicUrl: string;
  readonly dashboardUrl: string;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Whether the API reader is served. */
  readonly docs: boolean;
  readonly version: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Errors of this route carry `success: false`, as its flat success answer carries true, and the
     * attempt's id: `proven`, only for who has shown its token; `known`, for whoever names it.
     */
    flat?: 'known' | 'proven';
    /** Browsers come here from the pages of others. */
    anyOrigin?: true;
    /** Errors of this route are pages. */
    page?: true;
  }
}

/** One endpoint, one file: a function that adds its route. */
export type Endpoint<Context = HttpContext> = (app: FastifyInstance, context: Context) => void;

/** The endpoints of one mode, with what they work with already in their hands. */
export interface Endpoints {
  /** Below the base path. */
  readonly api: readonly ((app: FastifyInstance) => void)[];
  readonly origin: readonly ((app: FastifyInstance) => void)[];
  /** What is done about a return of which only the state could be read. Null: there are none. */
  readonly lostReturn: ((state: string) => Promise<void>) | null;
}

export function baseUrl({ settings }: HttpContext): string {
  return settings.publicUrl + BASE_PATH;
}
