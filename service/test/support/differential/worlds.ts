import { isDeepStrictEqual } from 'node:util';
import type { AuditVerdict } from '../../../src/audit/audit-chain.ts';
import { MINUTE_MS } from '../../../src/values/time.ts';
import type { Store } from '../../../src/store/ports/store.port.ts';
import { START } from '../../conformance/samples.ts';
import { EVERYTHING, possibleResults, race } from '../../conformance/store-model.ts';
import { openModel } from '../store/open-stores.ts';
import { plannedRaces, plannedRounds, SEQUENCES } from './plans.ts';
import { playRounds, type Played } from './rounds.ts';

/** A store that is compared with the model. */
export interface Engine {
  readonly name: string;
  readonly store: Store;
}

export interface World {
  readonly seed: number;
  /** The number of this world and the sequences in it: no two have rows with the same ids. */
  readonly place: number;
}

export interface Compared {
  /** Operations that reached each store, the same for all of them. */
  readonly operations: number;
  readonly differences: readonly string[];
}

/** Every second world has races in it, the others have sequences only. */
export async function compareIn(engines: readonly Engine[], world: World): Promise<Compared> {
  const compared = await (world.seed % 2 === 0
    ? compareRounds(engines, world)
    : compareRaces(engines, world));
  await Promise.all(engines.map(({ store }) => clear(store)));
  return compared;
}

async function compareRounds(engines: readonly Engine[], world: World): Promise<Compared> {
  const plans = plannedRounds(world.seed);
  const firstRun = 1 + world.place * SEQUENCES;
  const model = await openModel();
  const expected = await playRounds(model.store, plans, firstRun);
  const found = await Promise.all(
    engines.map(async ({ name, store }) => {
      const played = await playRounds(store, plans, firstRun);
      return differencesOf(expected, played).map((text) => told(name, world, text));
    }),
  );
  return { operations: countOf(expected.results), differences: found.flat() };
}

function differencesOf(expected: Played, actual: Played): string[] {
  const inResults = actual.results.flatMap((results, place) => {
    const wanted = expected.results[place];
    return isDeepStrictEqual(results, wanted) ? [] : [firstDifference(place, wanted, results)];
  });
  const missing = expected.audit.filter((row) => !actual.audit.includes(row));
  const more = actual.audit.filter((row) => !expected.audit.includes(row));
  return [
    ...inResults,
    ...missing.map((row) => `a row of the audit log is missing: ${row}`),
    ...more.map((row) => `a row of the audit log is too many: ${row}`),
    ...(expected.audit.length === actual.audit.length ? [] : ['the audit log has another length']),
    ...faultsOfLog(actual.verdict),
  ];
}

async function compareRaces(engines: readonly Engine[], world: World): Promise<Compared> {
  const plans = plannedRaces(world.seed).map((plan, index) => ({
    ...plan,
    run: 1 + world.place * SEQUENCES + index,
  }));
  const possible = await Promise.all(plans.map((plan) => possibleResults(openModel, plan)));
  const found = await Promise.all(
    engines.map(async ({ name, store }) => {
      const played = await Promise.all(plans.map((plan) => race(store, plan)));
      const wrong = played.flatMap((results, place) => {
        const wanted = possible[place] ?? [];
        if (wanted.some((one) => isDeepStrictEqual(one, results))) return [];
        return [`in no order: ${firstDifference(place, wanted[0], results)}`];
      });
      const ofLog = faultsOfLog(await store.verifyAudit());
      return [...wrong, ...ofLog].map((text) => told(name, world, text));
    }),
  );
  return { operations: countOf(possible.map(([first]) => first)), differences: found.flat() };
}

/** What is wrong with the log, with the first row or fact of which it is. */
export function faultsOfLog(verdict: AuditVerdict): string[] {
  return verdict.ok ? [] : [`the audit log does not verify: ${JSON.stringify(verdict)}`];
}

function told(name: string, { seed }: World, text: string): string {
  return `${name}, --seed ${seed} --operations 1: ${text}`;
}

function firstDifference(place: number, wanted: unknown, results: unknown): string {
  const [expected, actual] = [listOf(wanted), listOf(results)];
  const at = actual.findIndex((one, index) => !isDeepStrictEqual(one, expected[index]));
  const [right, wrong] = [expected[at], actual[at]].map((one) => JSON.stringify(one));
  return `sequence ${place}, operation ${at}: expected ${right}, got ${wrong}`;
}

const NOT_SENT = new Set<unknown>(['no attempt yet', 'no token yet']);

/** What only moved the clock, or had no attempt to concern, reached no store. */
function countOf(results: readonly unknown[]): number {
  return results
    .flatMap((list) => listOf(list).map(listOf))
    .filter(([op, result]) => op !== 'end' && op !== 'advance' && !NOT_SENT.has(result)).length;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** So that the next world finds nothing that it could concern, and the log does not grow. */
async function clear(store: Store): Promise<void> {
  await store.purge(EVERYTHING);
  await store.cutAudit({ before: START * 2, limit: 1_000_000, at: START + MINUTE_MS });
}
