import type { Select, SqlRow, SqlValue, Step, StepResult } from '../../sql/statement.ts';
import type { Call } from '../connections/connection.ts';
import { callForAll, callOf, rowsOfEach } from './look-ups.ts';
import { isSetName, SETS, type SetName } from '../sets.ts';
import { statementNamed } from './statement-named.ts';
import { sets } from '../statements.generated.ts';

/** Steps of several commands that are sent as one call, and what each of them is answered. */
export interface StepCall {
  readonly call: Call;
  /** The result of each step, in the order in which they were given. */
  readonly resultsIn: (answer: StepResult) => readonly StepResult[];
}

/** Look-ups of rows that a command reads, by one key each. */
const LOOK_UPS = new Set(['selectAttempt', 'selectUser']);

/**
 * The calls for steps that do not depend on each other: those of one kind together, where their
 * statement has a form for many.
 */
export function callsFor(steps: readonly Step[]): StepCall[] {
  const [first] = steps;
  if (first === undefined) return [];
  if (steps.length > 1 && isSetName(first.statement)) return setCalls(first.statement, steps);
  if (steps.length > 1 && LOOK_UPS.has(first.statement)) return [lookUpCall(steps)];
  return steps.map((step) => singleCall(step));
}

function singleCall({ statement: name, values }: Step): StepCall {
  return { call: callOf({ name, values }), resultsIn: (answer) => [answer] };
}

function lookUpCall(steps: readonly Step[]): StepCall {
  const selects = steps.map(({ statement: name, values }): Select => ({
    name,
    values,
    isByKey: true,
  }));
  return {
    call: callForAll(selects),
    resultsIn: ({ rows }) =>
      rowsOfEach(steps.length, rows).map((found) => ({ rows: found, changes: 0 })),
  };
}

/** One statement can't write the same row twice: a repeated key begins another call. */
function setCalls(name: SetName, steps: readonly Step[]): StepCall[] {
  const key = SETS[name];
  if (key === null) return [setCall(name, steps)];
  const runs: Step[][] = [];
  let seen = new Set<SqlValue>();
  for (const step of steps) {
    const value = valueOf(step, key);
    if (runs.length === 0 || seen.has(value)) {
      runs.push([]);
      seen = new Set();
    }
    seen.add(value);
    runs.at(-1)?.push(step);
  }
  return runs.flatMap((run) => {
    const [only] = run;
    return only !== undefined && run.length === 1 ? [singleCall(only)] : [setCall(name, run)];
  });
}

function setCall(name: SetName, steps: readonly Step[]): StepCall {
  const { parameters, sql } = sets[name];
  const key = SETS[name];
  return {
    call: {
      name: `${name}:all`,
      sql,
      values: parameters.map((parameter) => steps.map((step) => valueOf(step, parameter))),
    },
    resultsIn: ({ rows }) => (key === null ? steps.map(() => NOTHING) : byKey(steps, key, rows)),
  };
}

const NOTHING: StepResult = { rows: [], changes: 0 };

/** The row that was changed for each step. No two steps of the call have the same key. */
function byKey(steps: readonly Step[], key: string, rows: readonly SqlRow[]): StepResult[] {
  const found = new Map(rows.map((row) => [row[key], row]));
  return steps.map((step) => {
    const row = found.get(valueOf(step, key));
    return row === undefined ? NOTHING : { rows: [row], changes: 0 };
  });
}

/** A step has its values in the order of the statement for one. */
function valueOf({ statement, values }: Step, parameter: string): SqlValue {
  return values[statementNamed(statement).parameters.indexOf(parameter)] ?? null;
}
