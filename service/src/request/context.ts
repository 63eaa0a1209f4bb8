import type { FastifyInstance } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { Flow } from '../attempt/flow.ts';
import type { Mode } from '../values/store-binding.ts';
import type { Scenario } from '../attempt/scenario.ts';
import type { Admission } from '../attempt/start/start-attempt.flow.ts';
import type { LiveServices, SimulatorServices, Services } from '../attempt/services.flow.ts';
import type { RateLimiter } from '../platform/coordination/coordination.port.ts';
import type { ExchangeRecorder } from './record/exchange-recorder.port.ts';
import type { RouteMeter } from '../operate/metrics/meter.port.ts';
import type { Clock, Drain, Timekeeper, Timer } from '../platform/runtime.port.ts';
import type { Tracer } from '../operate/tracing/tracer.port.ts';
import type { ClientAddresses } from './caller/client-address.ts';

/** The path below the origin to which every path of the interface document is relative. */
export const BASE_PATH = '/api/v1';

/** What the HTTP code works with. Created once by `program.ts`. */
export interface HttpContext<Kit extends Services = Services> {
  readonly services: Kit;
  readonly clock: Clock;
  readonly timekeeper: Timekeeper;
  readonly timer: Timer;
  readonly drain: Drain;
  /** Resolves after other pending work had its turn of the event loop. */
  readonly nextTurn: () => Promise<void>;
  /**
   * Calls `work` at the end of this turn of the event loop, after everything that arrived in it was
   * read.
   */
  readonly atEndOfTurn: (work: () => void) => void;
  /** Whether another attempt may be started. */
  readonly admission: Admission;
  readonly addresses: ClientAddresses;
  /** Null when rate limits are off. */
  readonly limiter: RateLimiter | null;
  /** Null where no traces are sent. */
  readonly tracer: Tracer | null;
  /** Null in live mode, which has nothing that a test could choose. */
  readonly scenarios: ScenarioReader | null;
  /** Null in live mode, of which nothing is recorded. */
  readonly recorder: ExchangeRecorder | null;
  readonly settings: HttpSettings;
}

/** Reads what a test has chosen for an attempt from the headers of its start. @throws Refusal */
export type ScenarioReader = (headers: IncomingHttpHeaders, flow: Flow) => Scenario | null;

export type SimulatorContext = HttpContext<SimulatorServices>;
export type LiveContext = HttpContext<LiveServices>;

export interface HttpSettings {
  /** Sent as `X-Auth-Mode`. */
  readonly mode: Mode;
  readonly publicUrl: string;
  readonly dashboardUrl: string;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Whether the API reader is served. */
  readonly docs: boolean;
  /** Whether `/metrics` is served beside the API; otherwise it has a listener of its own. */
  readonly metrics: boolean;
  readonly version: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Errors of this route have `success: false`, like the `true` of its flat success answer, and
     * the attempt's id. `proven`: the id only after the attempt's token was verified. `known`: the
     * id for every caller who names it.
     */
    flat?: 'known' | 'proven';
    /** Browsers are sent here by pages of other sites. */
    anyOrigin?: true;
    /** A client may send its id and key by HTTP Basic too. */
    basic?: true;
    /** Counts the requests to this route. */
    meter?: RouteMeter;
    /** Errors of this route are pages. */
    page?: true;
    /** A person who was here during an outage of the provider may open the same address again. */
    repeatable?: true;
  }
}

/** A function that adds the route of one endpoint; each is in a file of its own. */
export type Endpoint<Context = HttpContext> = (app: FastifyInstance, context: Context) => void;

/** The endpoints of one mode, already bound to their context. */
export interface Endpoints {
  /** Below the base path. */
  readonly api: readonly ((app: FastifyInstance) => void)[];
  readonly origin: readonly ((app: FastifyInstance) => void)[];
  /** Handles a return of which only the state could be read. Null in modes without returns. */
  readonly lostReturn: ((state: string) => Promise<void>) | null;
}

export function baseUrl({ settings }: HttpContext): string {
  return settings.publicUrl + BASE_PATH;
}
