/** A crowd of people who sign in, in a thread of its own: takes one job, and reports. */

import { setTimeout as pause, setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { CrowdJob } from './crowd-job.ts';
import { login } from './crowd-login.ts';
import { CrowdTally } from './crowd-tally.ts';
import { WireClient } from './wire-client.ts';

const { port, seconds, sockets, perSecond } = workerData as CrowdJob;
/** Logins that are due at the same time begin together. */
const STEP_MS = 2;

const tally = new CrowdTally();
const free: WireClient[] = [];
const underWay = new Set<Promise<void>>();

for (let opened = 0; opened < sockets; opened += 1) free.push(await WireClient.open(port));
const begunAt = performance.now();
const endsAt = begunAt + seconds * 1000;
if (perSecond === null) await inTurn();
else await atRate(perSecond);
tally.endLoad();
await Promise.all(underWay);
for (const client of free) client.close();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
parentPort?.postMessage(tally.report(seconds));

async function inTurn(): Promise<void> {
  while (performance.now() < endsAt) {
    while (free.length > 0) begin(performance.now());
    await Promise.race(underWay);
  }
}

async function atRate(rate: number): Promise<void> {
  const all = rate * seconds;
  while (tally.due < all) {
    const now = performance.now();
    for (;;) {
      const dueAt = begunAt + (tally.due * 1000) / rate;
      if (dueAt > now || tally.due >= all) break;
      begin(dueAt);
    }
    await pause(STEP_MS);
    // Answers that have arrived free their connections first.
    await nextTurn();
  }
}

function begin(dueAt: number): void {
  tally.due += 1;
  const client = free.pop();
  if (client === undefined) {
    tally.withoutSocket += 1;
    return;
  }
  const work = loginOn(client, dueAt).finally(() => underWay.delete(work));
  underWay.add(work);
}

async function loginOn(kept: WireClient, dueAt: number): Promise<void> {
  const client = kept.isOpen ? kept : await WireClient.open(port);
  await login(client, port, tally, dueAt).catch((error: unknown) => tally.wrong(String(error)));
  free.push(client);
}
