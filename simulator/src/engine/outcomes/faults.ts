import { createHash } from 'node:crypto';
import { SLOW_ANSWER } from './answer-faults.ts';
import type { AnswerFault } from './effects.ts';
import type { RecordName } from '../error-records.ts';
import type { Ms, Random } from '../ports.ts';

/** The provider's calls, as rules name them. */
export const OPERATIONS = [
  'session',
  'mfa_request',
  'mfa_status',
  'exchange',
  'jwk',
  'token_valid',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What a rule can be for. */
export const RULED_OPERATIONS = ['any', ...OPERATIONS] as const;
export type RuledOperation = (typeof RULED_OPERATIONS)[number];

/** The endpoints of the service's OpenID Provider, as rules name them. `any` is none of them. */
export const OPENID_OPERATIONS = [
  'openid_token',
  'openid_userinfo',
  'openid_jwks',
  'openid_discovery',
] as const;
export type OpenidOperation = (typeof OPENID_OPERATIONS)[number];

/** The error records that each operation can answer with; `any`: those that all of them can. */
export const RECORDS_OF: Readonly<Record<RuledOperation, readonly RecordName[]>> = {
  any: ['invalidRequest'],
  session: ['invalidRequest'],
  mfa_request: ['recordNotFound', 'activeTransaction', 'invalidRequest'],
  mfa_status: ['transactionExpired', 'transactionNotFound', 'invalidRequest'],
  exchange: ['stateNotRedeemable', 'invalidRequest'],
  jwk: ['invalidRequest'],
  token_valid: ['invalidRequest'],
};

/** As long as the slowest answer of an outcome, which anybody can ask for. */
export const LATENCY_MAX_MS: Ms = SLOW_ANSWER.afterMs;
export const RULES_MAX = 16;
export const TIMES_MAX = 1_000_000;
const SEED_BYTES = 4;
/** Seeds, and the numbers that are drawn, are below it. */
export const SEED_LIMIT = 2 ** (8 * SEED_BYTES);

export interface Latency {
  readonly kind: 'latency';
  readonly minMs: Ms;
  readonly maxMs: Ms;
}

export interface FaultRule {
  readonly operation: RuledOperation | OpenidOperation;
  readonly fault: Latency | AnswerFault;
  /** The share of the calls that meet the fault, 0 to 1. */
  readonly rate: number;
  /** 0 to `SEED_LIMIT` - 1. */
  readonly seed: number;
  /** The rule is for this many calls, the first that it sees; null for all. */
  readonly times: number | null;
}

export interface CountedRule extends FaultRule {
  /** The calls of its operation since it was set. */
  readonly seen: number;
  /** Those that met its fault. */
  readonly hits: number;
}

/** What becomes of one call. */
export interface MetFaults {
  /** At most `LATENCY_MAX_MS`. */
  readonly latencyMs: Ms;
  /** Null: the call is answered. */
  readonly fault: AnswerFault | null;
}

/** What a call meets where no faults are set. */
export const NO_FAULTS: MetFaults = { latencyMs: 0, fault: null };

/**
 * The faults that a test has set, as rules. Each rule sees every call of its operation and decides
 * by its own seed, so that its decisions do not depend on the rules beside it. Latencies add up; of
 * the other faults the first in the list counts.
 */
export class Faults {
  readonly #rules: readonly Counting[];

  constructor(rules: readonly FaultRule[]) {
    this.#rules = rules.map((rule) => ({ rule, seen: 0, hits: 0 }));
  }

  list(): readonly CountedRule[] {
    return this.#rules.map(({ rule, seen, hits }) => ({ ...rule, seen, hits }));
  }

  /** Decides about one call, and counts it. */
  meet(operation: Operation | OpenidOperation): MetFaults {
    return this.#rules.reduce((met, counting) => meetRule(met, counting, operation), NO_FAULTS);
  }
}

/** A seed for a rule that was given none. */
export function seedFrom(random: Random): number {
  return Buffer.from(random.bytes(SEED_BYTES)).readUInt32BE();
}

export function isOfOpenid(operation: RuledOperation | OpenidOperation): boolean {
  return OPENID_OPERATIONS.some((one) => one === operation);
}

interface Counting {
  readonly rule: FaultRule;
  seen: number;
  hits: number;
}

function meetRule(
  met: MetFaults,
  counting: Counting,
  operation: Operation | OpenidOperation,
): MetFaults {
  const { rule } = counting;
  const isOfAny = rule.operation === 'any' && !isOfOpenid(operation);
  if (!isOfAny && rule.operation !== operation) return met;
  counting.seen += 1;
  const { chance, share } = drawn(rule.seed, counting.seen);
  const isOver = rule.times !== null && counting.seen > rule.times;
  const isTaken = rule.fault.kind !== 'latency' && met.fault !== null;
  if (isOver || isTaken || chance >= rule.rate) return met;
  counting.hits += 1;
  if (rule.fault.kind !== 'latency') return { ...met, fault: rule.fault };
  const { minMs, maxMs } = rule.fault;
  const latencyMs = met.latencyMs + minMs + Math.floor(share * (maxMs - minMs + 1));
  return { ...met, latencyMs: Math.min(latencyMs, LATENCY_MAX_MS) };
}

/**
 * The decision about the nth call of a seed: two numbers of at least 0 and less than 1, from the
 * first eight bytes of SHA-256 of `{seed}:{n}`. Any language can calculate it, no state is kept
 * between two calls, and the same call always gets the same decision.
 */
function drawn(seed: number, call: number): { chance: number; share: number } {
  const digest = createHash('sha256').update(`${seed}:${call}`).digest();
  return {
    chance: digest.readUInt32BE(0) / SEED_LIMIT,
    share: digest.readUInt32BE(Uint32Array.BYTES_PER_ELEMENT) / SEED_LIMIT,
  };
}
