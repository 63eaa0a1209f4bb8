import process from 'node:process';
import { createInterface } from 'node:readline';
import { Changes, type Done } from './changes.ts';
import type { StartsDone, StartsOrder } from './starts.ts';

// Starts attempts at a steady rate and cancels them, in a process that does nothing else: what
// receivers, or a reader of the store, do in the same process would be measured as the service's.
// Each line of its input is an order, and each line of its output what was done.

for await (const line of createInterface({ input: process.stdin })) {
  const { origins, keys, ...rate } = JSON.parse(line) as StartsOrder;
  const done: Done = { started: 0, ended: new Set(), unanswered: 0, faults: [] };
  let turn = 0;
  const origin = () => origins[(turn += 1) % origins.length] ?? '';
  const keyOf = (change: number) => keys[change % keys.length] ?? '';
  const changes = new Changes({ origin, keyOf, done });
  const ms = await changes.atRate(rate);
  await changes.close();
  const { started, unanswered, faults } = done;
  const said: StartsDone = { ms, ended: [...done.ended], started, unanswered, faults };
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
