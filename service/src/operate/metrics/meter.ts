import { Registry } from 'prom-client';
import { FLOWS } from '../../attempt/flow.ts';
import { LIMITS } from '../../values/limits.ts';
import { isSignedCheck, TOKEN_CHECKS, type TokenCheck } from '../../attempt/refused-token.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';
import {
  SIGN_IN_STEPS,
  type Meter,
  type SignInStep,
  type Standing,
  type StoreConnections,
} from './meter.port.ts';
import { createCallNumbers, createNumbers, createWaitNumbers, type Build } from './numbers.ts';
import { OpenAttempts } from './open-attempts.ts';
import { renderProcessNumbers } from './process-numbers.ts';
import { RouteTimes } from './route-times.ts';
import { beginCommit, createStoreNumbers, showConnections } from './store-numbers.ts';

type Numbers = ReturnType<typeof createNumbers> & ReturnType<typeof createCallNumbers>;

/** After these an attempt can change no more. */
const ENDS: ReadonlySet<SignInStep> = new Set(['redeemed', 'rejected', 'failed']);
const NO_CONNECTIONS: StoreConnections = { open: 0, inUse: 0, waiting: 0, reconnects: 0 };
/** A text is made anew after this time, or when the clock was moved back. */
const FRESH_MS = SECOND_MS;

/** Numbers in the Prometheus text format. They start at zero with the process, as it expects. */
export function createMeter(build: Build): Meter {
  const registry = new Registry();
  const own = { ...createNumbers(registry, build), ...createStoreNumbers(registry) };
  const numbers = { ...own, ...createCallNumbers(registry) };
  const { mode } = build;
  const routes = new RouteTimes();
  const open = new OpenAttempts((flow, count) =>
    numbers.signIns.inc({ mode, flow, step: 'expired' }, count),
  );
  let connections = NO_CONNECTIONS;
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
    storeConnections: (latest) => void (connections = latest),
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
