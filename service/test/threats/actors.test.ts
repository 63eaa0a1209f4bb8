import { expect, test } from 'vitest';
import { textOfActor } from '../../src/audit/act.ts';
import { processActor } from '../../src/platform/process-account.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { drive } from '../support/drive/drive.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { runMiftah, runMiftahProgram } from '../support/programs/operator.ts';
import { openListening } from '../support/service/listening-service.ts';
import { AMAL } from '../support/service/login.ts';

/** Of the process of these tests, which may be in a container. */
const [OWN = ''] = textOfActor(processActor()).split(',');
const REASON = 'reported as stolen, ticket 4711';

interface Row {
  readonly action: string;
  readonly actor: string | null;
  readonly reason: string | null;
}

/** A service with a user who has signed in. */
async function used(engine: string) {
  const settings = {
    DATA_DIR: temporaryFolder('actors'),
    SECRET_KEY: 'ab'.repeat(32),
    ...(engine === 'SQLite' ? {} : { DATABASE_URL: await emptyDatabase() }),
  };
  const service = await openListening({ settings });
  const client = clientForTest(service);
  const started = await client.start({ national_id: AMAL, locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: started.attempt_id });
  const { token } = await client.token(started);
  const { json } = await client.get('/user', { authorization: `Bearer ${token}` });
  const { id } = (json as { data: { id: number } }).data;
  const rows = async (...filter: string[]): Promise<Row[]> => {
    const { out } = await runMiftah(['audit', '--json', ...filter], settings);
    return out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  };
  return { settings, id: String(id), rows };
}

const told = (rows: readonly Row[]) =>
  rows.map(({ action, actor, reason }) => [action, actor?.split(',')[0] ?? null, reason]);

test.each(['SQLite', 'PostgreSQL'])(
  'threat 132, in %s: an act has the account of its process, whatever the environment says',
  async (engine) => {
    const { settings, id, rows } = await used(engine);
    const numbers = { SUDO_UID: '31337', CALLER_LOGIN_UID: '31337' };
    const forged = { USER: 'mallory', LOGNAME: 'mallory', SUDO_USER: 'mallory', ...numbers };
    const act = ['user', 'disable', id, '--reason', REASON];
    const done = await runMiftahProgram(act, { ...settings, ...forged });
    expect(done, done.err).toMatchObject({ code: 0 });
    expect(told(await rows('--action', 'user.disabled'))).toEqual([['user.disabled', OWN, REASON]]);
    expect(await rows('--actor', 'mallory')).toEqual([]);
    expect(await rows('--actor', 'login:31337')).toEqual([]);
    expect(await rows('--actor', OWN.replace(/\(.*/, ''))).toHaveLength(1);

    for (const each of [
      ['user', 'enable', id],
      ['revoke', '--user', id, '--reason', REASON],
      ['user', 'export', id],
      ['user', 'erase', id, '--yes', '--no-compact'],
      ['revoke', '--all'],
      ['keys', 'rotate', '--reason', REASON],
    ]) {
      expect(await runMiftah(each, settings), each.join(' ')).toMatchObject({ code: 0 });
    }
    const { out: verified } = await runMiftah(['audit', '--verify'], settings);
    expect(verified).toContain('Every row is as it was written');
    const acts = (await rows()).filter(({ action }) => /^(?:user|tokens)\./.test(action));
    expect(told(acts)).toEqual([
      ['user.disabled', OWN, REASON],
      ['user.enabled', OWN, null],
      ['tokens.revoked_all', OWN, REASON],
      ['user.exported', OWN, null],
      ['user.erased', OWN, null],
      ['tokens.revoked_all', OWN, null],
    ]);
    const others = (await rows()).filter(({ action }) => /^(?:attempt|token)\./.test(action));
    expect(others.length).toBeGreaterThan(0);
    expect(others.every(({ actor, reason }) => actor === null && reason === null)).toBe(true);
  },
);

test('threat 132: a person who runs a command is asked why, and a program is not', async () => {
  const { settings, id, rows } = await used('SQLite');
  const asked = (args: readonly string[], ...input: string[]) =>
    drive('http://127.0.0.1:9', args, {
      environment: settings,
      input,
      context: { isInteractive: true },
    });
  expect(await asked(['user', 'disable', id], REASON)).toMatchObject({ code: 0 });
  expect(await asked(['user', 'enable', id], '')).toMatchObject({ code: 0 });
  expect(await asked(['revoke', '--user', id], ` ${REASON} `)).toMatchObject({ code: 0 });
  expect(await asked(['user', 'export', id], REASON)).toMatchObject({ code: 0 });
  // At the end of input nothing is done.
  expect(await asked(['user', 'erase', id, '--yes'])).toMatchObject({ code: 2 });
  expect(await asked(['revoke', '--all'])).toMatchObject({ code: 0 });
  const acts = (await rows()).filter(({ action }) => /^(?:user|tokens)\./.test(action));
  expect(acts.map(({ action, reason }) => [action, reason])).toEqual([
    ['user.disabled', REASON],
    ['user.enabled', null],
    ['tokens.revoked_all', REASON],
    ['user.exported', REASON],
    ['tokens.revoked_all', null],
  ]);
});

test('threat 132: a reason names nobody, and an export no operator', async () => {
  const { settings, id, rows } = await used('SQLite');
  const commands = [
    ['user', 'disable', id],
    ['revoke', '--all'],
    ['keys', 'rotate'],
    ['restore', 'x'],
  ];
  for (const command of commands) {
    const refused = await runMiftah([...command, '--reason', `of ${AMAL}`], settings);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('without a national id');
    expect(refused.err).not.toContain(AMAL);
  }
  expect(await rows('--action', 'user.,tokens.,keys.,store.restored')).toEqual([]);
  await runMiftah(['user', 'disable', id, '--reason', REASON], settings);
  const { out } = await runMiftah(['user', 'export', id], settings);
  const { audit } = JSON.parse(out) as { audit: (Row & { userId: number })[] };
  expect(audit.find(({ action }) => action === 'user.disabled')).toMatchObject({ reason: REASON });
  expect(out).not.toContain('actor');
});
