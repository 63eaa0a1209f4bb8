import { completeEntries } from '../../sql/audit-rows.ts';
import type { Touched, Unit, Step, StepResult } from '../../sql/statement.ts';
import { appendCall, lockHeadCall } from './audit-rows.ts';
import type { Call } from '../connections/connection.ts';
import { WRITES_LOCK } from '../own-locks.ts';
import { callsFor } from './step-calls.ts';
import type { Session } from '../connections/transaction.ts';

/** A unit, and what has happened of it in the transaction. */
interface Running {
  readonly unit: Unit;
  readonly results: StepResult[];
  /** A guard was not satisfied. */
  isStopped: boolean;
}

export interface TouchingUnit extends Unit {
  readonly touches: Touched;
}

const LOCK_EVERYTHING: Call = {
  name: 'lockEverything',
  sql: `select pg_advisory_xact_lock${WRITES_LOCK}`,
  values: [],
};
const SHARE_EVERYTHING: Call = {
  name: 'shareEverything',
  sql: `select pg_advisory_xact_lock_shared${WRITES_LOCK}`,
  values: [],
};
/** In one order for all, so that no two transactions wait for each other. */
const LOCK_NAMES =
  'select pg_advisory_xact_lock(key) from (select distinct hashtextextended(name, 0) as key ' +
  'from unnest($1::text[]) as given(name) order by 1) as keys';

/**
 * Runs units in one transaction: first the locks of what they touch, then their steps, each kind
 * together, and last the rows of the audit log. No two of the units touch the same thing.
 * @returns the results of the steps that ran, for each unit
 */
export async function runUnits(
  session: Session,
  units: readonly TouchingUnit[],
  auditKey: Uint8Array,
): Promise<(readonly StepResult[])[]> {
  const running = units.map((unit): Running => ({ unit, results: [], isStopped: false }));
  let before: readonly Call[] = locksOf(units);
  let head: StepResult | null = null;
  for (let round = roundOf(running); round.length > 0; round = roundOf(running)) {
    const after = isLastRound(round) && hasAudit(running) ? [lockHeadCall()] : [];
    const [locked = null] = await runRound(session, before, round, after);
    head = locked;
    before = [];
  }
  if (before.length > 0) await session.pipeline(before);
  await appendAudit(session, running, auditKey, head);
  return running.map(({ results }) => results);
}

function locksOf(units: readonly TouchingUnit[]): Call[] {
  if (units.some(({ touches }) => touches === 'everything')) return [LOCK_EVERYTHING];
  const names = units.flatMap(({ touches }) => (touches === 'everything' ? [] : touches));
  if (names.length === 0) return [SHARE_EVERYTHING];
  return [SHARE_EVERYTHING, { name: 'lockNames', sql: LOCK_NAMES, values: [names] }];
}

/** For each unit the steps up to its next guard: none of them needs the result of another one. */
function roundOf(running: readonly Running[]): [Running, readonly Step[]][] {
  return running.flatMap((one): [Running, readonly Step[]][] => {
    const left = one.isStopped ? [] : one.unit.steps.slice(one.results.length);
    const guard = left.findIndex(({ stopWhenEmpty }) => stopWhenEmpty);
    const steps = guard === -1 ? left : left.slice(0, guard + 1);
    return steps.length === 0 ? [] : [[one, steps]];
  });
}

/** Whether no unit has further steps after this round, if its guards are satisfied. */
function isLastRound(round: readonly [Running, readonly Step[]][]): boolean {
  return round.every(([{ unit, results }, steps]) => {
    return results.length + steps.length === unit.steps.length;
  });
}

function hasAudit(running: readonly Running[]): boolean {
  return running.some(({ isStopped, unit }) => !isStopped && unit.audit.length > 0);
}

/**
 * Sends all calls of a round at once. The n-th steps of all units come before the next ones.
 * @returns the results of the calls after it
 */
async function runRound(
  session: Session,
  before: readonly Call[],
  round: readonly [Running, readonly Step[]][],
  after: readonly Call[],
): Promise<readonly StepResult[]> {
  const longest = Math.max(...round.map(([, steps]) => steps.length));
  const places = Array.from({ length: longest }, (_, place) => place);
  const groups = places.flatMap((place) => groupsOf(round, place));
  const planned = groups.map((group) => ({
    group,
    calls: callsFor(group.map(({ step }) => step)),
  }));
  const calls = planned.flatMap((one) => one.calls.map((each) => each.call));
  const all = await session.pipeline([...before, ...calls, ...after]);
  const answers = all.slice(before.length);
  for (const { group, calls: sent } of planned) {
    const results = sent.flatMap((each) => each.resultsIn(answers.shift() ?? NOTHING));
    for (const [index, { of, step }] of group.entries()) note(of, step, results[index] ?? NOTHING);
  }
  return answers;
}

const NOTHING: StepResult = { rows: [], changes: 0 };

interface Placed {
  readonly of: Running;
  readonly step: Step;
}

/** The steps at one place of the round, those of one statement together. */
function groupsOf(round: readonly [Running, readonly Step[]][], place: number): Placed[][] {
  const groups = new Map<string, Placed[]>();
  for (const [of, steps] of round) {
    const step = steps[place];
    if (step === undefined) continue;
    const group = groups.get(step.statement);
    if (group === undefined) groups.set(step.statement, [{ of, step }]);
    else group.push({ of, step });
  }
  return [...groups.values()];
}

function note(one: Running, { stopWhenEmpty }: Step, result: StepResult): void {
  one.results.push(result);
  if (stopWhenEmpty && result.rows.length === 0) one.isStopped = true;
}

/** @param locked the head of the log, if it is locked already */
async function appendAudit(
  session: Session,
  running: readonly Running[],
  auditKey: Uint8Array,
  locked: StepResult | null,
): Promise<void> {
  const entries = running
    .filter(({ isStopped }) => !isStopped)
    .flatMap(({ unit, results }) => completeEntries(unit, results));
  if (entries.length === 0) return;
  const [head] = (locked ?? (await session.query(lockHeadCall()))).rows;
  session.beforeCommit(appendCall(entries, head, auditKey));
}
