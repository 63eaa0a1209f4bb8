import type { FastifyInstance } from 'fastify';
import type { Ms } from '../../src/engine/ports.ts';
import type { EngineSettings } from '../../src/engine/settings.ts';
import type { EngineParts } from '../../src/engine/engine.ts';
import { KeyRing, keysInMemory } from '../../src/keys/key-ring.ts';
import type { SimulatorOptions } from '../../src/options.ts';
import type { Timer } from '../../src/platform/timer.ts';
import { errorsOf } from '../../src/openapi.ts';
import { buildServer } from '../../src/server.ts';
import { makeEngine, ORIGIN, REQUEST_ID, type Bench } from './engines.ts';
import { SeededRandom } from './fakes.ts';
import { madeBefore } from './keys.ts';

/** Records each requested wait, and does not wait. */
export class InstantTimer implements Timer {
  readonly waits: Ms[] = [];

  sleep(ms: Ms): Promise<void> {
    this.waits.push(ms);
    return Promise.resolve();
  }

  elapsed(): Ms {
    return this.waits.reduce((sum, ms) => sum + ms, 0);
  }
}

export interface AppBench extends Bench {
  readonly app: FastifyInstance;
  readonly timer: InstantTimer;
  readonly logged: () => string;
}

interface AppOptions extends Partial<SimulatorOptions> {
  readonly engineSettings?: Partial<EngineSettings>;
  readonly engineParts?: Partial<EngineParts>;
}

export function makeApp({ engineSettings, engineParts, ...options }: AppOptions = {}): AppBench {
  const bench = makeEngine(engineSettings, engineParts);
  const timer = new InstantTimer();
  const lines: string[] = [];
  const app = buildServer({
    engine: bench.engine,
    timer,
    control: { publicUrl: ORIGIN },
    keys: new KeyRing(keysInMemory(), madeBefore()),
    random: new SeededRandom('requests'),
    log: { level: 'trace', stream: { write: (line: string) => lines.push(line) } },
    ...options,
  });
  checkStatuses(app);
  return { ...bench, app, timer, logged: () => lines.join('') };
}

/** Each error that an operation of the document answers with has to be there, by its status. */
function checkStatuses(app: FastifyInstance): void {
  app.addHook('onSend', async ({ is404, routeOptions: { method, url, schema, config } }, reply) => {
    const isControl = url?.startsWith('/simulator/') === true && schema?.hide !== true;
    const isDescribed = isControl || config.operation !== undefined;
    if (is404 || !isDescribed || reply.statusCode < 300) return;
    const errors = errorsOf({ method: method === 'HEAD' ? 'GET' : method, config }, true);
    if (reply.statusCode in errors) return;
    throw new Error(`${String(method)} ${url}: ${reply.statusCode} is not in the document`);
  });
}

export const SESSION_PATH = '/stg/api/v2/oidc/session';
export const PUSH_PATH = '/stg/api/v1/mfa/request';
const STATUS_PATH = '/stg/api/v1/mfa/request/status';
export const KEYS_PATH = '/stg/api/v1/mfa/jwk';
const EXCHANGE_PATH = '/stg/api/v2/oidc/jwt';

export function sessionCall(query: Record<string, string | string[]> = {}) {
  return {
    method: 'GET',
    url: SESSION_PATH,
    query: { locale: 'ar', requestId: REQUEST_ID, ...query },
  } as const;
}

export function pushCall(
  body: unknown,
  query: Record<string, string | string[]> = { local: 'ar', requestId: REQUEST_ID },
) {
  return { method: 'POST', url: PUSH_PATH, query, payload: body as object } as const;
}

export function statusCall(body: unknown) {
  return { method: 'POST', url: STATUS_PATH, payload: body as object } as const;
}

export function decisionCall(promptId: string, body: unknown, headers = {}) {
  const url = `/simulator/prompts/${promptId}/decision`;
  return { method: 'POST', url, payload: body as object, headers } as const;
}

export function exchangeCall(body: unknown) {
  return { method: 'POST', url: EXCHANGE_PATH, payload: body as object } as const;
}

export function validCall(body: unknown) {
  return { method: 'POST', url: `${EXCHANGE_PATH}/valid`, payload: body as object } as const;
}
