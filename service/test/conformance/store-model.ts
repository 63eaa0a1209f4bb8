import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/ports/store.port.ts';
import { nextSerial, START } from './samples.ts';
import { operations, transitions, type Operation, type Transition } from './store-arbitraries.ts';
import { Performer } from './store-operations.ts';
import { useStore, type OpenStore } from './store-under-test.ts';

const SEQUENCES = 60;
const RACES = 40;

/** Later than every time in a run, so that everything is removed. */
export const EVERYTHING = { expiredBefore: START * 2, redeemedBefore: START * 2, limit: 1_000_000 };

export function modelTests(open: OpenStore, openModel: OpenStore): void {
  const store = useStore(open);

  test('S-12 to S-52, S-72, S-80, S-85: any sequence of operations does what it does to the model', () =>
    fc.assert(
      fc.asyncProperty(fc.array(operations, { minLength: 5, maxLength: 60 }), async (sequence) => {
        const run = nextSerial();
        await store().purge(EVERYTHING);
        const actual = await performAll(store(), run, sequence);
        expect(actual).toEqual(await onModel(openModel, run, sequence));
        // S-85: every fact has its row.
        expect(await store().verifyAudit()).toMatchObject({ ok: true });
      }),
      { numRuns: SEQUENCES },
    ));

  test('S-3, S-13: operations at once do what they do in some order', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(operations, { minLength: 3, maxLength: 20 }),
        fc.array(transitions, { minLength: 2, maxLength: 4 }),
        async (before, racing) => {
          const plan = { run: nextSerial(), before, racing };
          await store().purge(EVERYTHING);
          const actual = await race(store(), plan);
          expect(await possibleResults(openModel, plan)).toContainEqual(actual);
        },
      ),
      { numRuns: RACES },
    ));
}

async function performAll(store: Store, run: number, sequence: readonly Operation[]) {
  const performer = new Performer(store, run);
  for (const [position, operation] of sequence.entries()) {
    await performer.perform(operation, position);
  }
  await performer.readAll();
  return performer.results;
}

async function onModel(openModel: OpenStore, run: number, sequence: readonly Operation[]) {
  const model = await openModel();
  const results = await performAll(model.store, run, sequence);
  await model.dispose();
  return results;
}

/** A run whose last operations are under way at once. */
export interface Race {
  readonly run: number;
  readonly before: readonly Operation[];
  readonly racing: readonly Transition[];
}

export async function race(store: Store, { run, before, racing }: Race): Promise<unknown> {
  const performer = new Performer(store, run);
  for (const [position, operation] of before.entries()) {
    await performer.perform(operation, position);
  }
  await Promise.all(
    racing.map((operation, index) => performer.perform(operation, before.length + index)),
  );
  await performer.readAll();
  return performer.results;
}

/** What the run may give: one result for each order of the racing operations. */
export function possibleResults(openModel: OpenStore, plan: Race): Promise<unknown[]> {
  return Promise.all(ordersOf(plan.racing.length).map((order) => inOrder(openModel, plan, order)));
}

/** Repeats the run on a fresh model, with the racing operations one after another in this order. */
async function inOrder(openModel: OpenStore, { run, before, racing }: Race, order: number[]) {
  const model = await openModel();
  const performer = new Performer(model.store, run);
  for (const [position, operation] of before.entries()) {
    await performer.perform(operation, position);
  }
  for (const index of order) {
    const operation = racing[index];
    if (operation !== undefined) await performer.perform(operation, before.length + index);
  }
  await performer.readAll();
  await model.dispose();
  return performer.results;
}

/** Every permutation of the first `count` numbers. */
function ordersOf(count: number): number[][] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, place) => order.toSpliced(place, 0, count - 1)),
  );
}
