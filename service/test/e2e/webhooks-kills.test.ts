import { expect, it, onTestFinished } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { hookedClients } from '../support/outbound/hooked-clients.ts';
import {
  webhookReceiver,
  webhookSecret,
  type WebhookReceiverDouble,
} from '../support/outbound/webhook-receiver.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { ApiClient, dataOf, type Started } from '../support/programs/api-client.ts';
import { startService, type ServiceProcess } from '../support/programs/service-process.ts';

/**
 * Instances that are killed while they deliver: whatever was acknowledged is told, and nothing is
 * told that did not happen.
 */

const SECRET = webhookSecret(7);
const SECRET_KEY = 'ab'.repeat(32);
const AMAL = '1000001101';
const ATTEMPTS = atLength(400, 80);
/** The lease of what a killed instance had under way has to end first. */
const PATIENCE = { timeout: 90_000, interval: 250 };

const clientsFile = ({ url }: WebhookReceiverDouble) =>
  hookedClients([url], SECRET, onTestFinished);

async function started(settings: Record<string, string>, dataDir?: string) {
  const service = await startService({
    settings,
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  onTestFinished(async () => void (await service.kill()));
  return service;
}

interface Acknowledged {
  readonly begun: Started[];
  readonly ended: Started[];
}

/** Starts attempts and ends each. What was acknowledged is in the lists. */
async function endMany(
  service: ServiceProcess,
  count: number,
  { begun, ended }: Acknowledged,
): Promise<void> {
  const client = new ApiClient(service.origin);
  onTestFinished(() => client.close());
  const one = async () => {
    const attempt = await client.start({ national_id: AMAL, locale: 'en' });
    begun.push(attempt);
    const headers = { 'x-provider-attempt-token': attempt.attempt_token };
    const answer = await client.remove(`/attempts/${attempt.attempt_id}`, headers);
    if (answer.status === 204) ended.push(attempt);
  };
  const work = Array.from({ length: count }, () => one().catch(() => undefined));
  await Promise.all(work);
}

const idsOf = (list: readonly { readonly data: Readonly<Record<string, unknown>> }[]) =>
  new Set(list.map(({ data }) => String(data['attempt_id'])));

/** Refuses every fifth of what is new, so that there is always something to repeat. */
function awkward(hook: WebhookReceiverDouble): void {
  const seen = new Set<string>();
  hook.answer = ({ id }) => {
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew && seen.size % 5 === 0 ? 503 : 204;
  };
}

async function expectAllTold(
  hook: WebhookReceiverDouble,
  { begun, ended }: Acknowledged,
  at: ServiceProcess,
): Promise<void> {
  const missing = () => {
    const told = idsOf(hook.told);
    return ended.filter(({ attempt_id }) => !told.has(attempt_id)).length;
  };
  await expect.poll(missing, PATIENCE).toBe(0);
  expect(hook.forged()).toBe(0);
  // What arrived twice has the same id.
  const arrived = idsOf(hook.arrived);
  expect(new Set(hook.arrived.map(({ id }) => id)).size).toBe(arrived.size);
  // Whatever arrived has happened, whether or not its caller was told so.
  const client = new ApiClient(at.origin);
  onTestFinished(() => client.close());
  for (const attempt of begun.filter(({ attempt_id }) => arrived.has(attempt_id))) {
    expect(dataOf(await client.status(attempt))).toMatchObject({ status: 'rejected' });
  }
}

it('one instance on a file: what was acknowledged before kill -9 is told after the next start', async () => {
  const hook = await webhookReceiver(onTestFinished, SECRET);
  awkward(hook);
  const settings = { CLIENTS_FILE: clientsFile(hook) };
  const acknowledged: Acknowledged = { begun: [], ended: [] };
  const first = await started(settings);
  const running = endMany(first, ATTEMPTS, acknowledged);
  await expect.poll(() => hook.told.length, PATIENCE).toBeGreaterThan(3);
  await first.kill();
  await running;
  const second = await started(settings, first.dataDir);
  await endMany(second, ATTEMPTS / 4, acknowledged);
  expect(acknowledged.ended.length).toBeGreaterThan(ATTEMPTS / 4);
  await expectAllTold(hook, acknowledged, second);
});

it('two instances on one database: neither loses what the other had under way', async () => {
  const hook = await webhookReceiver(onTestFinished, SECRET);
  awkward(hook);
  const database = await emptyDatabase(onTestFinished);
  const settings = { CLIENTS_FILE: clientsFile(hook), DATABASE_URL: database, SECRET_KEY };
  const [first, second] = await Promise.all([started(settings), started(settings)]);
  if (first === undefined || second === undefined) throw new Error('one did not start');
  const acknowledged: Acknowledged = { begun: [], ended: [] };
  const running = Promise.all([first, second].map((each) => endMany(each, ATTEMPTS, acknowledged)));
  await expect.poll(() => hook.told.length, PATIENCE).toBeGreaterThan(3);
  await first.kill();
  await running;
  await endMany(second, ATTEMPTS / 4, acknowledged);
  await expectAllTold(hook, acknowledged, second);
});
