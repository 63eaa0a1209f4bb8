import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { ask, copyOf, emptyDatabase } from '../support/postgres/databases.ts';
import { clientForTest, startServiceForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import {
  openListening,
  refusalOf,
  type ListeningService,
} from '../support/service/listening-service.ts';

type Settings = Readonly<Record<string, string>>;

const SECRET_KEY = 'ab'.repeat(32);
const NATIONAL_ID = '1000001101';

function machine(url: string): Settings {
  const folder = temporaryFolder('shared-heads');
  const AUDIT_HEAD_FILE = join(folder, 'audit-head');
  return { SECRET_KEY, DATABASE_URL: url, DATA_DIR: join(folder, 'data'), AUDIT_HEAD_FILE };
}

const start = (settings: Settings) => openListening({ settings });
const on = (settings: Settings, url: string) => ({ ...settings, DATABASE_URL: url });

async function userStatus(service: ListeningService, token: string): Promise<number> {
  const authorization = `Bearer ${token}`;
  return (await clientForTest(service).get('/user', { authorization })).status;
}

/**
 * Two machines with a head each. The second one stops first. Then a token is revoked, and the
 * database is recovered to the time before that, when the second one's head was the end.
 */
async function recovered() {
  const url = await emptyDatabase();
  const [first, second] = [machine(url), machine(url)];
  const services = [await start(first), await start(second)] as const;
  const client = clientForTest(services[0]);
  const attempt = await client.start({ national_id: NATIONAL_ID, locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  const { token } = await client.token(attempt);
  for (const service of services.toReversed()) await service.stop();
  const copy = await copyOf(url);
  const later = await start(first);
  await clientForTest(later).remove('/token', { authorization: `Bearer ${token}` });
  expect(await userStatus(later, token)).toBe(401);
  await later.stop();
  return { first: on(first, copy), second: on(second, copy), token, copy };
}

async function restore(settings: Settings): Promise<void> {
  const name = new URL(String(settings['DATABASE_URL'])).pathname.slice(1);
  const said = await runMiftah(['restore', '--database', name], settings);
  expect(said).toMatchObject({ code: 0, err: '' });
}

describe('threat 102: after a recovery every instance gives the same answer', () => {
  it('one that has seen a later end of the log ends the one that has not, and none starts', async () => {
    const { first, second, copy } = await recovered();
    const unaware = await startServiceForTest({ settings: second });
    const said = await refusalOf(first);
    expect(said).toContain('older than the head of its audit log');
    expect(said).toContain('miftah restore --database');
    expect((await unaware.exited).code).toBe(1);
    expect(unaware.stderr()).toContain('miftah restore --database');
    for (const settings of [first, second]) {
      expect(await refusalOf(settings)).toContain('miftah restore --database');
      const { code, err } = await runMiftah(['audit', '--verify'], settings);
      expect([code, err]).toEqual([1, expect.stringContaining('store.behind')]);
    }
    const marks = "SELECT 1 FROM audit_log WHERE action = 'store.behind'";
    expect(await ask(copy, marks)).toHaveLength(1);
  });

  it.each(atLength(['first', 'second'] as const, ['second'] as const))(
    'one step on the machine of the %s instance lets all start, and revoked stays revoked',
    async (name) => {
      const machines = await recovered();
      const { first, second, token } = machines;
      await refusalOf(first);
      await restore(machines[name]);
      for (const settings of [first, second]) {
        const service = await start(settings);
        expect(await userStatus(service, token)).toBe(401);
        const { code, err } = await runMiftah(['audit', '--verify'], settings);
        expect([code, err]).toEqual([0, '']);
      }
    },
  );

  it('a restore is not believed for what was seen after it', async () => {
    const { first, second, copy } = await recovered();
    await restore(second);
    const earlier = await copyOf(copy);
    const service = await start(first);
    await service.stop();
    // The log of the copy has the restore, and the head is later than that.
    expect(await refusalOf(on(first, earlier))).toContain('miftah restore --database');
  });
});
