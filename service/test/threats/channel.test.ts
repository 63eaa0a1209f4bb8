import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import { AMAL, complete, readStatus, startPhone } from '../support/service/login.ts';
import { openTestService } from '../support/service/test-service.ts';
import { statusesIn, until, watch } from '../support/service/watch-status.ts';

const CHANNEL = 'miftah_attempts';
const SETTINGS = { SECRET_KEY: 'ab'.repeat(32), RATE_LIMITS: 'off' };
const SEND = 'SELECT pg_notify($1, $2)';
const FLOOD = 'SELECT pg_notify($1, $2 || n) FROM generate_series(1, 3000) AS n';
/** The name of an instance, and ids of attempts. */
const ONLY_IDS = /^[\w-]{16}( [\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})+$/;

async function instances() {
  const url = await emptyDatabase();
  const settings = { ...SETTINGS, DATABASE_URL: url };
  const one = await openTestService({ settings });
  await one.app.listen({ host: '127.0.0.1', port: 0 });
  return { url, one, other: await openTestService({ settings }) };
}

/** Another program with the right to connect. */
async function foreignSession(url: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const heard: string[] = [];
  client.on('notification', ({ payload = '' }) => void heard.push(payload));
  await client.query(`LISTEN ${CHANNEL}`);
  return heard;
}

describe('threat 80: a foreign session on the channel of the instances', () => {
  test('hears ids of attempts, and neither tokens nor people', async () => {
    const { url, one, other } = await instances();
    const heard = await foreignSession(url);
    const started = await startPhone(one, AMAL);
    await complete(other, started);
    await expect.poll(() => heard.join()).toContain(started.attempt_id);
    for (const payload of heard) expect(payload).toMatch(ONLY_IDS);
  });

  test('changes nothing by what it sends, and keeps no end from being told', async () => {
    const { url, one, other } = await instances();
    const started = await startPhone(one);
    const stream = await watch(one, started);
    await until(() => statusesIn(stream.text()).length === 1);
    for (const payload of [`x ${started.attempt_id}`, 'authenticated', `${started.attempt_id} *`]) {
      await ask(url, SEND, [CHANNEL, payload]);
    }
    await ask(url, FLOOD, [CHANNEL, `x ${started.attempt_id} `]);
    expect((await readStatus(other, started)).json()).toMatchObject({
      data: { status: 'pending' },
    });
    await complete(other, started);
    await stream.ended;
    expect(statusesIn(stream.text())).toEqual(['pending', 'authenticated']);
  });
});
