import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { startAttempt, attemptTokenDigest } from '../../../../src/attempt/attempt.ts';
import { loadConfig } from '../../../../src/config/config.ts';
import { tellReceivers } from '../../../../src/operate/require-clients.ts';
import { createRandom } from '../../../../src/platform/runtime.ts';
import { openStoreForCommand } from '../../../../src/program/open-store.ts';
import { makeAttemptId, UUID_RANDOM_BYTES } from '../../../../src/values/ids.ts';
import { ACT } from '../../../conformance/samples.ts';

// Starts attempts and ends them by the store of the service, beside it, as a command does:
// node ends-program.ts COUNT CLIENT...
// Each line of its output is the id of an attempt whose end was acknowledged.

/** Their writes are few transactions, as those of many callers at once. */
const AT_ONCE = 250;
/** As long as it has written, so that the service gets the file too. */
const REST = 1;

const [count = '0', ...clients] = process.argv.slice(2);
const random = createRandom();
const { config } = loadConfig([], process.env);
const store = await openStoreForCommand(config, random, ACT);
tellReceivers(config, store.outbox);
for (let made = 0; made < Number(count); made += AT_ONCE) {
  const began = performance.now();
  const ended = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => endOne(index)));
  process.stdout.write(ended.join(''));
  await wait((performance.now() - began) * REST);
}
await store.close();

/** @returns nothing where it is not known to be written */
async function endOne(index: number): Promise<string> {
  const now = Date.now();
  const attemptId = makeAttemptId(now, random.bytes(UUID_RANDOM_BYTES));
  const attempt = startAttempt({
    attemptId,
    flow: 'mfa',
    client: clients[index % clients.length] ?? '',
    tokenDigest: attemptTokenDigest(attemptId),
    locale: 'en',
    nationalId: null,
    bindingCode: '012345',
    returnAddress: null,
    createdAt: now,
    providerExpiresAt: null,
    scenario: null,
  });
  try {
    await store.insertAttempt(attempt);
    return (await store.cancelAttempt({ attemptId, at: Date.now() })) === null
      ? ''
      : `${attemptId}\n`;
  } catch {
    return '';
  }
}
