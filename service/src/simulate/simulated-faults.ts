import {
  NO_FAULTS,
  type AnswerFault,
  type Engine,
  type ErrorRecord,
  type Operation,
} from '@miftah/simulator/engine';
import { Refusal } from '../errors/refusal.ts';
import type { Ms } from '../values/time.ts';
import type { LoginResult } from '../provider/identity-provider.port.ts';
import type { Timer } from '../platform/runtime.port.ts';
import { CALL_DEADLINE_MS } from '../provider/provider-config.ts';

/** How long to wait after a push was refused because another one is open. */
const ACTIVE_PUSH_RETRY_SECONDS = 60;

/** A call without an answer, as the engine says it. */
type Failed =
  | { readonly kind: 'record'; readonly record: ErrorRecord }
  | { readonly kind: Exclude<AnswerFault['kind'], 'record'> };

/**
 * The faults that a test has set, for a service that calls no provider over a network: what would be
 * a call there waits and fails as the live driver's call would.
 */
export class SimulatedFaults {
  readonly #engine: Engine;
  readonly #timer: Timer;
  readonly #asleep = new Set<() => void>();
  #isClosing = false;

  constructor(engine: Engine, timer: Timer) {
    this.#engine = engine;
    this.#timer = timer;
  }

  /** @throws Refusal if the call fails */
  async meet(operation: Operation, scope: string): Promise<void> {
    const failed = await this.#call(operation, scope);
    if (failed !== null) throw refusalOf(failed, operation);
  }

  /** A call whose failure changes nothing, since the last known answer counts then. */
  async delay(operation: Operation, scope: string): Promise<void> {
    await this.#call(operation, scope);
  }

  /**
   * The exchange at the end of a sign-in by browser. Null: it succeeds. The same failures as in live
   * mode end the attempt, since the state has been exchanged, or may have been.
   * @throws Refusal `provider.unavailable`, after which it can be tried again
   */
  async exchange(scope: string): Promise<LoginResult | null> {
    const failed = await this.#call('exchange', scope);
    if (failed === null) return null;
    if (failed.kind === 'record' && failed.record.code === STATE_NOT_REDEEMABLE) {
      return { result: 'rejected', reason: 'attempt.rejected' };
    }
    const refusal = refusalOf(failed, 'exchange');
    if (refusal.code === 'provider.unavailable') throw refusal;
    return { result: 'failed', reason: refusal.code };
  }

  /** Ends all delays, and those that would begin later. */
  close(): void {
    this.#isClosing = true;
    for (const wake of this.#asleep) wake();
  }

  async #call(operation: Operation, scope: string): Promise<Failed | null> {
    const { faults } = this.#engine.scopes.of(scope);
    const { latencyMs, fault } = faults?.meet(operation) ?? NO_FAULTS;
    if (latencyMs > 0) await this.#sleep(Math.min(latencyMs, CALL_DEADLINE_MS));
    // The live driver gives up then.
    if (latencyMs >= CALL_DEADLINE_MS) return { kind: 'timeout' };
    return fault?.kind === 'record'
      ? { kind: 'record', record: this.#engine.record(fault.record) }
      : fault;
  }

  async #sleep(ms: Ms): Promise<void> {
    if (this.#isClosing) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asleep.add(resolve);
    const cancel = this.#timer.after(ms, resolve);
    await promise;
    cancel();
    this.#asleep.delete(resolve);
  }
}

const STATE_NOT_REDEEMABLE = '401-033-024';

/** The error that a remote provider's driver would give. */
export function refusalOf(failed: Failed, operation: Operation): Refusal {
  switch (failed.kind) {
    case 'record':
      return recordRefusal(failed.record);
    case 'gateway':
      return new Refusal('provider.misconfigured');
    case 'outage':
      return outage();
    case 'malformed':
      return new Refusal('provider.bad_response');
    case 'cut':
      // A session that was opened and not used does no harm, so the start can be repeated.
      return operation === 'session' ? outage() : new Refusal('provider.timeout');
    case 'timeout':
      return new Refusal('provider.timeout');
  }
}

function outage(): Refusal {
  return new Refusal('provider.unavailable', { retryAfterSeconds: 1 });
}

function recordRefusal({ code, reference }: ErrorRecord): Refusal {
  if (code === '422-016-023') return new Refusal('provider.record_not_found', { reference });
  if (code === '400-034-050') {
    const retryAfterSeconds = ACTIVE_PUSH_RETRY_SECONDS;
    return new Refusal('push.budget_spent', { retryAfterSeconds });
  }
  return new Refusal('provider.misconfigured', { reference });
}
