import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceSettings } from '../../../scripts/rehearsal.ts';
import { LiveClient, type Started } from '../support/live/live-client.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import { openCuttingProxy, type CuttingProxy } from '../support/postgres/cutting-proxy.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { openListening, type ListeningService } from '../support/service/listening-service.ts';

const WAITING = { interval: 50 };

let url: string;
let proxy: CuttingProxy;
let first: OpenedRehearsal;
let second: ListeningService;

/** Two instances on one database; the connections of the first one can be cut. */
beforeAll(async () => {
  url = await emptyDatabase(afterAll);
  proxy = await openCuttingProxy(url, afterAll);
  first = await openRehearsal({ settings: { DATABASE_URL: proxy.url } });
  afterAll(async () => first[Symbol.asyncDispose]());
  const port = await findFreePort();
  const own = { PORT: String(port), RATE_LIMITS: 'on', DATABASE_URL: url };
  const settings = { ...serviceSettings(first.plan), ...own };
  second = await openListening({ port, settings }, afterAll);
});

/** The attacker has launched, and the person has approved what the attacker has sent them. */
async function relayed() {
  const started = await new LiveClient(first, BANK_KEY).startRedirect();
  const attacker = new PersonBrowser();
  const page = await attacker.launch(started.authorization_url);
  const back = await attacker.returnFrom(page, 'amal');
  return { started, attacker, back };
}

/** The person comes back, and the connection that would write it is cut. */
async function comesBack(back: URL): Promise<void> {
  proxy.cutAt('markSpoiled', 'before');
  expect((await new PersonBrowser().open(back)).status).toBe(403);
}

async function isMarked({ attempt_id: id }: Started): Promise<boolean> {
  const [row] = await ask<{ spoiled_at: unknown }>(
    url,
    `SELECT spoiled_at FROM provider_transactions WHERE attempt_id = '${id}'`,
  );
  return row !== undefined && row.spoiled_at !== null;
}

/** What the attacker gets at the second instance. */
async function tryAtSecond(started: Started, attacker: PersonBrowser, back: URL) {
  const there = new URL(back);
  there.host = new URL(second.origin).host;
  const { status, location } = await attacker.open(there);
  const bank = new LiveClient({ service: second }, BANK_KEY);
  const { code } = await bank.redeem(started, { completion_code: 'A'.repeat(43) });
  return { status, location, code };
}

const REFUSED = { status: 403, location: null, code: 'attempt.failed' };

describe('threat 98: the mark of a relayed sign-in whose one write failed', () => {
  it('is written again by the instance, so another instance refuses too', async () => {
    const { started, attacker, back } = await relayed();
    await comesBack(back);
    await expect.poll(() => isMarked(started), WAITING).toBe(true);
    expect(await tryAtSecond(started, attacker, back)).toEqual(REFUSED);
  });

  it('is written at a stop', async () => {
    const { started, attacker, back } = await relayed();
    await comesBack(back);
    await first.service.stop();
    expect(await isMarked(started)).toBe(true);
    expect(await tryAtSecond(started, attacker, back)).toEqual(REFUSED);
  });
});
