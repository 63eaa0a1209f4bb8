import { expect, it, onTestFinished } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { hookedClients } from '../support/outbound/hooked-clients.ts';
import { plainReceiver } from '../support/outbound/receiver.ts';
import { webhookReceiver, webhookSecret } from '../support/outbound/webhook-receiver.ts';
import { ApiClient } from '../support/programs/api-client.ts';
import { startService } from '../support/programs/service-process.ts';

/** Many changes at once, told to a receiver that answers, beside three that do not. */

const SECRET = webhookSecret(9);
const AMAL = '1000001101';
const CHANGES = atLength(20_000, 300);
const AT_ONCE = 32;
const PATIENCE = { timeout: atLength(300_000, 60_000), interval: 500 };
/** Calls at a time to one receiver. */
const MOST_CALLS = 8;

async function endAll(origin: string): Promise<Set<string>> {
  const client = new ApiClient(origin);
  onTestFinished(() => client.close());
  const ended = new Set<string>();
  let begun = 0;
  const worker = async () => {
    while (begun < CHANGES) {
      begun += 1;
      const attempt = await client.start({ national_id: AMAL, locale: 'en' });
      const headers = { 'x-provider-attempt-token': attempt.attempt_token };
      const { status } = await client.remove(`/attempts/${attempt.attempt_id}`, headers);
      if (status === 204) ended.add(attempt.attempt_id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return ended;
}

/** How many connections were open to it at a time, at most. */
async function counted(answer: Parameters<typeof plainReceiver>[0]) {
  const seen = { open: 0, most: 0 };
  const receiver = await plainReceiver((request, reply) => {
    seen.open += 1;
    seen.most = Math.max(seen.most, seen.open);
    reply.once('close', () => (seen.open -= 1));
    answer(request, reply);
  }, onTestFinished);
  return { url: `http://127.0.0.1:${receiver.port}/hook`, seen };
}

it(`${CHANGES} changes reach the receiver that answers, and the others hold up nothing`, async () => {
  const good = await webhookReceiver(onTestFinished, SECRET);
  const flood = 'a'.repeat(256 * 1024);
  const others = await Promise.all([
    counted((_, answer) => answer.writeHead(503).end()),
    counted(() => undefined),
    counted((_, answer) => answer.writeHead(302, { location: good.url }).end(flood)),
  ]);
  const urls = [good, ...others].map(({ url }) => url);
  const settings = { CLIENTS_FILE: hookedClients(urls, SECRET, onTestFinished) };
  await using service = await startService({ settings });
  const ended = await endAll(service.origin);
  expect(ended.size).toBe(CHANGES);
  const told = () => new Set(good.told.map(({ data }) => String(data['attempt_id'])));
  await expect.poll(() => told().size, PATIENCE).toBe(CHANGES);
  expect(told().symmetricDifference(ended).size).toBe(0);
  expect(good.forged()).toBe(0);
  for (const { seen } of others) expect(seen.most).toBeLessThanOrEqual(MOST_CALLS);
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
});
