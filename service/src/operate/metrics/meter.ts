import { Registry, collectDefaultMetrics } from 'prom-client';
import { ATTEMPT_LIFETIME_MS } from '../../attempt/attempt.ts';
import { type Flow, FLOWS } from '../../attempt/flow.ts';
import { TOKEN_CHECKS, type TokenCheck, isSignedCheck } from '../../attempt/refused-token.ts';
import {
  type Meter,
  type MeteredAttempt,
  type RouteMeter,
  SIGN_IN_STEPS,
  type SignInStep,
  type Standing,
  type StoreConnections,
} from './meter.port.ts';
import {
  createNumbers,
  createStoreNumbers,
  createStreamNumber,
  createWaitNumbers,
} from './numbers.ts';
import { webhookNumbers } from './webhook-numbers.ts';
import { monotonicMs } from '../../platform/runtime.ts';
import { LIMITS } from '../../values/limits.ts';
import type { Mode } from '../../values/store-binding.ts';
import { type Ms, SECOND_MS } from '../../values/time.ts';

let processRegistry: Registry | null = null;

/**
 * The library's numbers about this process: CPU time, memory, event loop lag, garbage collection.
 * There is one set for the process, however many services run in it, and it begins with the first
 * reader: a service whose numbers nobody reads does not pay for them.
 */
function renderProcessNumbers(): Promise<string> {
  if (processRegistry === null) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry.metrics();
}

const NAME = 'miftah_http_request_duration_seconds';
const HELP = 'Duration of requests by route pattern and class of HTTP status';

/** In seconds. Most requests take a few milliseconds; a call to the provider takes up to 5 s. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BOUNDS_MS = BOUNDS.map((bound) => bound * SECOND_MS);

interface Times {
  /** One for each bound, and one for what is longer. Not cumulative. */
  readonly counts: Float64Array;
  sumMs: Ms;
}

/**
 * Histograms of the durations of requests. Every request is counted, so this allocates nothing for
 * one: the library's histogram hashes its labels at each observation, which would cost a status
 * read about one percent.
 */
class RouteTimes {
  readonly #routes = new Map<string, RouteHistograms>();

  route(method: string, route: string): RouteMeter {
    const labels = `method="${method}",route="${escaped(route)}"`;
    const known = this.#routes.get(labels) ?? new RouteHistograms(labels);
    this.#routes.set(labels, known);
    return known;
  }

  /** In the Prometheus text format. */
  render(): string {
    const series = [...this.#routes.values()].flatMap((route) => route.lines());
    return [`# HELP ${NAME} ${HELP}`, `# TYPE ${NAME} histogram`, ...series, ''].join('\n');
  }
}

class RouteHistograms implements RouteMeter {
  readonly #labels: string;
  /** By the first digit of the status. */
  readonly #classes: (Times | undefined)[] = [];

  constructor(labels: string) {
    this.#labels = labels;
  }

  observe(status: number, durationMs: Ms): void {
    const digit = Math.trunc(status / 100);
    const times = (this.#classes[digit] ??= newTimes());
    times.sumMs += durationMs;
    const bucket = bucketOf(durationMs);
    times.counts[bucket] = (times.counts[bucket] ?? 0) + 1;
  }

  lines(): string[] {
    return this.#classes.flatMap((times, digit) =>
      times === undefined ? [] : linesOf(`${this.#labels},status="${digit}xx"`, times),
    );
  }
}

function newTimes(): Times {
  return { counts: new Float64Array(BOUNDS.length + 1), sumMs: 0 };
}

function bucketOf(durationMs: Ms): number {
  let bucket = 0;
  while (bucket < BOUNDS_MS.length && durationMs > (BOUNDS_MS[bucket] ?? 0)) bucket += 1;
  return bucket;
}

function linesOf(labels: string, { counts, sumMs }: Times): string[] {
  const lines: string[] = [];
  let total = 0;
  for (const [bucket, count] of counts.entries()) {
    total += count;
    lines.push(`${NAME}_bucket{${labels},le="${BOUNDS[bucket] ?? '+Inf'}"} ${total}`);
  }
  lines.push(`${NAME}_sum{${labels}} ${sumMs / SECOND_MS}`, `${NAME}_count{${labels}} ${total}`);
  return lines;
}

/** As the text format asks for in label values. */
function escaped(text: string): string {
  return text.replace(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
}

type Counts = Record<Flow, number>;

/**
 * Counts the attempts that expire. Nothing happens in the service when an attempt expires, so the
 * attempts that this process has started and that have not ended are counted for each second of
 * their start; what is left of a second when its attempts have expired is their number. No id is
 * kept, and there are at most as many entries as an attempt's lifetime has seconds.
 *
 * Attempts of before a restart are not counted.
 */
export class OpenAttempts {
  readonly #seconds = new Map<number, Counts>();
  readonly #onExpired: (flow: Flow, count: number) => void;

  constructor(onExpired: (flow: Flow, count: number) => void) {
    this.#onExpired = onExpired;
  }

  begin({ flow, createdAt }: MeteredAttempt): void {
    this.expireUntil(createdAt);
    const second = secondOf(createdAt);
    const counts = this.#seconds.get(second) ?? { oidc: 0, mfa: 0 };
    counts[flow] += 1;
    this.#seconds.set(second, counts);
  }

  /** The attempt was redeemed, rejected, or has failed. */
  end({ flow, createdAt }: MeteredAttempt): void {
    const counts = this.#seconds.get(secondOf(createdAt));
    if (counts !== undefined && counts[flow] > 0) counts[flow] -= 1;
  }

  expireUntil(now: Ms): void {
    for (const [second, counts] of this.#seconds) {
      if (now < (second + 1) * SECOND_MS + ATTEMPT_LIFETIME_MS) return;
      this.#seconds.delete(second);
      this.#onExpired('oidc', counts.oidc);
      this.#onExpired('mfa', counts.mfa);
    }
  }
}

function secondOf(time: Ms): number {
  return Math.floor(time / SECOND_MS);
}

interface Build {
  readonly mode: Mode;
  readonly version: string;
}

type Numbers = ReturnType<typeof createNumbers>;
type StoreNumbers = ReturnType<typeof createStoreNumbers>;

/** @returns to be called at the commit, with the number of writes that shared the transaction */
function beginCommit({ commits, commitTimes }: StoreNumbers): (units: number) => void {
  const begunAt = monotonicMs();
  return (units) => {
    commits.observe(units);
    commitTimes.observe((monotonicMs() - begunAt) / SECOND_MS);
  };
}

/** Only when the numbers are read, because connections change with every operation. */
function showConnections(
  numbers: StoreNumbers,
  { open, inUse, waiting, reconnects }: StoreConnections,
): void {
  numbers.connections.set({ state: 'in_use' }, inUse);
  numbers.connections.set({ state: 'idle' }, open - inUse);
  numbers.waiting.set(waiting);
  numbers.reconnects.reset();
  numbers.reconnects.inc(reconnects);
}

/** After these an attempt can change no more. */
const ENDS: ReadonlySet<SignInStep> = new Set(['redeemed', 'rejected', 'failed']);
const NO_CONNECTIONS: StoreConnections = { open: 0, inUse: 0, waiting: 0, reconnects: 0 };
/** A text is made anew after this time, or when the clock was moved back. */
const FRESH_MS = SECOND_MS;

/** Numbers in the Prometheus text format. They start at zero with the process, as it expects. */
export function createMeter(build: Build): Meter {
  const registry = new Registry();
  const numbers = { ...createNumbers(registry), ...createStoreNumbers(registry) };
  const { mode } = build;
  const routes = new RouteTimes();
  const open = new OpenAttempts((flow, count) =>
    numbers.signIns.inc({ mode, flow, step: 'expired' }, count),
  );
  let connections = NO_CONNECTIONS;
  numbers.info.set({ mode, version: build.version }, 1);
  showZeros(numbers, build);

  async function write({ now, isReady, isStoreReady, aheadMs }: Standing): Promise<string> {
    open.expireUntil(now);
    numbers.ready.set(Number(isReady));
    numbers.storeReady.set(Number(isStoreReady));
    numbers.ahead.set(aheadMs / SECOND_MS);
    showConnections(numbers, connections);
    const [ours, process] = await Promise.all([registry.metrics(), renderProcessNumbers()]);
    return `${ours}\n${routes.render()}\n${process}`;
  }

  return {
    count: (name) => numbers.counted.get(name)?.inc(),
    signIn(step, attempt, reason) {
      if (step === 'started') open.begin(attempt);
      else if (ENDS.has(step)) open.end(attempt);
      const { flow } = attempt;
      numbers.signIns.inc({ mode, flow, step, ...(reason === undefined ? {} : { reason }) });
    },
    tokenRefused: (check) => numbers.tokensRefused.inc(labelsOf(check)),
    limitHit: (limit) => numbers.limitsHit.inc({ limit }),
    route: (method, route) => routes.route(method, route),
    providerCall({ operation, refusal, durationMs }) {
      numbers.calls.inc({ operation, outcome: refusal ?? 'answered' });
      numbers.callTimes.observe({ operation }, durationMs / SECOND_MS);
    },
    providerBreaker: (operation, isOpen) => numbers.breaker.set({ operation }, Number(isOpen)),
    waitBegins: createWaitNumbers(registry),
    commitBegins: () => beginCommit(numbers),
    lastSuccess: (task, at) => numbers.lastSuccess.set({ task }, at / SECOND_MS),
    auditStreamBehind: createStreamNumber(registry),
    storeConnections: (latest) => void (connections = latest),
    ...webhookNumbers(registry),
    mediaType: registry.contentType,
    render: keepFresh(write),
  };
}

/** A series that appears with its first event hides that event from an alert on increases. */
function showZeros(
  { signIns, limitsHit, tokensRefused }: Pick<Numbers, 'signIns' | 'limitsHit' | 'tokensRefused'>,
  { mode }: Build,
): void {
  for (const flow of FLOWS) {
    for (const step of SIGN_IN_STEPS) signIns.inc({ mode, flow, step }, 0);
  }
  for (const limit of LIMITS) limitsHit.inc({ limit }, 0);
  for (const check of TOKEN_CHECKS) tokensRefused.inc(labelsOf(check), 0);
}

function labelsOf(check: TokenCheck) {
  return { check, signed: isSignedCheck(check) ? 'yes' : 'no' };
}

/** Each text takes some milliseconds of the only thread, and nothing limits who asks for it. */
function keepFresh(write: (standing: Standing) => Promise<string>): Meter['render'] {
  let last: { readonly at: Ms; readonly text: Promise<string> } | null = null;
  return (standing) => {
    const age = last === null ? FRESH_MS : standing.now - last.at;
    if (last === null || age < 0 || age >= FRESH_MS) {
      last = { at: standing.now, text: write(standing) };
    }
    return last.text;
  };
}
