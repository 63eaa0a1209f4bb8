/** The rules of faults: a list in, the same list with its seeds and counts out. */
import {
  integer,
  list,
  object,
  oneOf,
  openObject,
  optional,
  union,
  type Schema,
  type Static,
} from '@miftah/schema';
import {
  FAULT_STATUSES,
  faultOfStatus,
  SLOW_ANSWER,
  type FaultStatus,
} from '../../engine/outcomes/answer-faults.ts';
import type { AnswerFault } from '../../engine/outcomes/effects.ts';
import { RECORDS, type RecordName } from '../../engine/error-records.ts';
import {
  isOfOpenid,
  LATENCY_MAX_MS,
  OPENID_OPERATIONS,
  RECORDS_OF,
  RULED_OPERATIONS,
  RULES_MAX,
  SEED_LIMIT,
  TIMES_MAX,
  type CountedRule,
  type FaultRule,
  type Latency,
  Faults,
} from '../../engine/outcomes/faults.ts';
import { DEFAULT_SCOPE } from '../../engine/scenario.ts';
import { ControlError, scopesFull } from '../errors.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import type { ControlOptions } from '../../options.ts';
import { scopeOfCaller } from '../scope.ts';

/** Faults without a value of their own. */
const ANSWERS = {
  malformed: { kind: 'malformed' },
  cut: { kind: 'cut' },
  timeout: SLOW_ANSWER,
} as const satisfies Record<string, AnswerFault>;
type AnswerName = keyof typeof ANSWERS;
const ANSWER_NAMES = ['malformed', 'cut', 'timeout'] as const satisfies readonly AnswerName[];

const RECORD_NAMES = [...new Set(Object.values(RECORDS_OF).flat())];
const RECORD_CODES = RECORD_NAMES.map((name) => RECORDS[name].code);

const Milliseconds = integer({ minimum: 0, maximum: LATENCY_MAX_MS });
const status: Schema<FaultStatus> = { type: 'integer', enum: FAULT_STATUSES };
const Rate: Schema<number> = { type: 'number', minimum: 0, maximum: 1 };

const record = oneOf(RECORD_CODES);
const latency_ms = union(Milliseconds, object({ min: Milliseconds, max: Milliseconds }));
const answer = oneOf(ANSWER_NAMES);

const ALL_OPERATIONS = [...RULED_OPERATIONS, ...OPENID_OPERATIONS] as const;
const ruled = oneOf(ALL_OPERATIONS);

const when = {
  rate: optional(Rate),
  seed: optional(integer({ minimum: 0, maximum: SEED_LIMIT - 1 })),
  times: optional(integer({ minimum: 1, maximum: TIMES_MAX })),
} as const;

/** Each rule has exactly one of the four faults. */
const Rule = union(
  object({ operation: ruled, ...when, status }),
  object({ operation: oneOf(RULED_OPERATIONS), ...when, record }),
  object({ operation: ruled, ...when, latency_ms }),
  object({ operation: ruled, ...when, answer }),
);

const FaultsBody = object({ faults: list(Rule, { maxItems: RULES_MAX }) });

const count = integer({ minimum: 0 });

const RuleRow = openObject({
  operation: ruled,
  status: optional(count),
  record: optional(record),
  latency_ms: optional(latency_ms),
  answer: optional(answer),
  rate: Rate,
  seed: count,
  times: union(count, { type: 'null' } satisfies Schema as Schema<null>),
  seen: count,
  hits: count,
});

export const FaultsAnswer = openObject(
  { data: list(RuleRow) },
  { description: 'The faults that are set, and how often each was met.' },
);

/** What is allowed, for the error of a list that is not. */
const TAKES =
  `The body is {"faults": [...]} with at most ${RULES_MAX} rules; [] sets none. A rule has an ` +
  `"operation", one of ${ALL_OPERATIONS.join(', ')}; exactly one of "status" (` +
  `${FAULT_STATUSES.join(', ')}), "record" (${recordsAllowed()}), "latency_ms" (0 to ` +
  `${LATENCY_MAX_MS}, or {"min", "max"}) and "answer" (${ANSWER_NAMES.join(', ')}); and may have ` +
  `a "rate" (0 to 1, by default 1), a "seed" (0 to ${SEED_LIMIT - 1}) and "times" (1 to ` +
  `${TIMES_MAX}).`;

function recordsAllowed(): string {
  return RULED_OPERATIONS.map((name) => `${name}: ${codesOf(RECORDS_OF[name])}`).join('; ');
}

function codesOf(names: readonly RecordName[]): string {
  return names.map((name) => RECORDS[name].code).join(', ');
}

/** @throws ControlError where an operation has no such record, or a range ends before it begins */
function rulesOf(
  { faults: rules }: Static<typeof FaultsBody>,
  newSeed: () => number,
): readonly FaultRule[] {
  const read = rules.map((rule) => ruleOf(rule, newSeed));
  const wrong = read.flatMap((rule, at) =>
    typeof rule === 'string' ? [`/faults/${at}${rule}`] : [],
  );
  if (wrong.length > 0) throw new ControlError('validation.failed', { faults: wrong });
  return read.filter((rule) => typeof rule !== 'string');
}

/** A text says what is wrong with it, with the place in it first. */
function ruleOf(rule: Static<typeof Rule>, newSeed: () => number): FaultRule | string {
  const fault = faultIn(rule);
  if (typeof fault === 'string') return fault;
  const { operation, rate = 1, seed = newSeed(), times = null } = rule;
  return { operation, fault, rate, seed, times };
}

function faultIn(rule: Static<typeof Rule>): FaultRule['fault'] | string {
  if ('status' in rule) return faultOfStatus(rule.status);
  if ('answer' in rule) return ANSWERS[rule.answer];
  if ('latency_ms' in rule) return latencyOf(rule.latency_ms);
  const records = RECORDS_OF[rule.operation];
  const name = records.find((one) => RECORDS[one].code === rule.record);
  const wrong = `/record: must be one of ${codesOf(records)}`;
  return name === undefined ? wrong : { kind: 'record', record: name };
}

function latencyOf(latency: Static<typeof latency_ms>): Latency | string {
  const { min, max } = typeof latency === 'number' ? { min: latency, max: latency } : latency;
  if (min > max) return '/latency_ms: min must not be more than max';
  return { kind: 'latency', minMs: min, maxMs: max };
}

function ruleRow(counted: CountedRule): Static<typeof RuleRow> {
  const { operation, fault, rate, seed, times, seen, hits } = counted;
  return { operation, ...faultRow(fault), rate, seed, times, seen, hits };
}

type FaultRow = Pick<Static<typeof RuleRow>, 'status' | 'record' | 'latency_ms' | 'answer'>;

function faultRow(fault: FaultRule['fault']): FaultRow {
  switch (fault.kind) {
    case 'latency': {
      const { minMs: min, maxMs: max } = fault;
      return { latency_ms: min === max ? min : { min, max } };
    }
    case 'record':
      return { record: RECORDS[fault.record].code };
    case 'gateway':
    case 'outage':
      return { status: fault.status };
    case 'malformed':
    case 'cut':
    case 'timeout':
      return { answer: fault.kind };
  }
}

const response = { 200: FaultsAnswer };

/** GET /simulator/faults: the rules that are set, each with its seed and its counts. */
export function listFaults(app: TypedApp, { engine }: ControlOptions): void {
  const schema = { operationId: 'listFaults', summary: 'The faults that calls meet', response };
  app.get('/faults', { schema }, (request) => {
    const { faults } = engine.scopes.of(scopeOfCaller(request));
    return { data: faults?.list().map(ruleRow) ?? [] };
  });
}

/**
 * PUT /simulator/faults: replaces all rules of the scope. A call that waits meanwhile keeps what was
 * decided about it.
 */
export function setFaults(app: TypedApp, { engine, openid }: ControlOptions): void {
  const schema = {
    operationId: 'setFaults',
    summary: 'Have calls meet faults, or none',
    body: FaultsBody,
    response,
  };
  const refuses = ['openid.elsewhere', 'openid.of_instance', 'scopes.full'] as const;
  app.put('/faults', { schema, config: { takes: TAKES, refuses } }, (request) => {
    const scope = scopeOfCaller(request);
    const rules = rulesOf(request.body, engine.newSeed);
    if (rules.some((rule) => isOfOpenid(rule.operation))) {
      if (openid === null) throw new ControlError('openid.elsewhere');
      // Who reads the keys, or discovery, names no client and so no scope.
      if (scope !== DEFAULT_SCOPE) throw new ControlError('openid.of_instance');
    }
    const faults = rules.length === 0 ? null : new Faults(rules);
    if (!engine.scopes.change(scope, { faults })) throw scopesFull(engine.scopes);
    return { data: faults?.list().map(ruleRow) ?? [] };
  });
}
