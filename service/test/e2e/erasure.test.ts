import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import type { ApiClient, Issued, Started } from '../support/programs/api-client.ts';
import { clientForTest, startServiceForTest } from '../support/programs/for-test.ts';
import { runMiftah, type Said } from '../support/programs/operator.ts';
import { WAIT_MS } from '../support/wait-ms.ts';

const SECRET_KEY = 'ab'.repeat(32);
const AMAL = personNamed('amal');
const FAISAL = personNamed('faisal');

function personNamed(id: string) {
  const person = BUILT_IN_PEOPLE.all.find((one) => one.id === id);
  if (person === undefined) throw new Error(`the simulator has no ${id}`);
  return person;
}

/** What the raw store must not have of the person. In simulator mode nothing is sealed. */
const CANARIES = [AMAL.nationalId, AMAL.arabicName.full, AMAL.englishName.full, AMAL.email ?? ''];

interface Engine {
  readonly name: string;
  readonly settings: () => Promise<Record<string, string>>;
  /** The canaries that are in the files of the store. */
  readonly search: (settings: Record<string, string>) => Promise<readonly string[]>;
  /** The steps that docs/data-retention.md asks for after the command. */
  readonly afterwards: (settings: Record<string, string>) => Promise<void>;
}

const SQLITE: Engine = {
  name: 'SQLite',
  settings: async () => ({}),
  search: async ({ DATA_DIR = '' }) => {
    const names = readdirSync(DATA_DIR).filter((name) => name.startsWith('miftah.db'));
    const content = Buffer.concat(names.map((name) => readFileSync(join(DATA_DIR, name))));
    return CANARIES.filter((canary) => content.indexOf(canary) >= 0);
  },
  afterwards: async () => undefined,
};

/** Of the server itself: it reads its own files, without the write-ahead log. */
const HOLDERS = `
SELECT relname FROM pg_class WHERE relkind IN ('r', 'i', 't') AND NOT relisshared
AND position(convert_to($1, 'UTF8') in pg_read_binary_file(pg_relation_filepath(oid))) > 0`;

const POSTGRES: Engine = {
  name: 'PostgreSQL',
  settings: async () => ({ DATABASE_URL: await emptyDatabase() }),
  search: async ({ DATABASE_URL = '' }) => {
    await ask(DATABASE_URL, 'CHECKPOINT');
    const found = await Promise.all(
      CANARIES.map(async (canary) => (await ask(DATABASE_URL, HOLDERS, [canary])).length > 0),
    );
    return CANARIES.filter((_, index) => found[index]);
  },
  afterwards: async ({ DATABASE_URL = '' }) => {
    await ask(DATABASE_URL, 'VACUUM (FULL, ANALYZE)');
    await ask(DATABASE_URL, 'VACUUM FULL pg_statistic');
  },
};

interface SignedIn {
  readonly attempt: Started;
  readonly issued: Issued;
}

async function signIn(client: ApiClient, nationalId: string): Promise<SignedIn> {
  const attempt = await client.start({ national_id: nationalId, locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  return { attempt, issued: await client.token(attempt, { device_name: 'laptop' }) };
}

async function statusOfToken(client: ApiClient, { issued }: SignedIn): Promise<number> {
  return (await client.get('/user', { authorization: `Bearer ${issued.token}` })).status;
}

async function openWith(engine: Engine) {
  const folder = temporaryFolder('erasure');
  const settings: Record<string, string> = {
    DATA_DIR: folder,
    SECRET_KEY,
    ...(await engine.settings()),
  };
  const service = await startServiceForTest({ dataDir: folder, settings });
  const client = clientForTest(service);
  const run = (args: readonly string[], input?: string): Promise<Said> =>
    runMiftah(args, settings, input);
  return { settings, client, run, gone: await signIn(client, AMAL.nationalId) };
}

describe('a person', () => {
  it('is handed out as a whole, without a secret', async () => {
    const { client, run, gone } = await openWith(SQLITE);
    await signIn(client, FAISAL.nationalId);
    const said = await run(['user', 'export', '--national-id'], `${AMAL.nationalId}\n`);
    expect(said).toMatchObject({ code: 0, err: '' });
    const told = JSON.parse(said.out) as Record<string, Record<string, unknown>[]>;
    expect(told['user']).toMatchObject({
      nationalId: AMAL.nationalId,
      englishName: AMAL.englishName.full,
      email: AMAL.email,
      createdAt: expect.stringMatching(/^20\d\d-/) as unknown,
    });
    expect(told['tokens']).toEqual([expect.objectContaining({ deviceName: 'laptop' })]);
    expect(told['attempts']).toEqual([
      expect.objectContaining({ attemptId: gone.attempt.attempt_id, flow: 'mfa' }),
    ]);
    const actions = told['audit']?.map(({ action }) => action);
    expect(actions).toEqual(['attempt.authenticated', 'token.issued']);
    expect(said.out).not.toMatch(/tokenDigest|completionDigest|redemption|nonce|salt/);
    for (const secret of [gone.issued.token, gone.attempt.attempt_token, FAISAL.nationalId]) {
      expect(said.out).not.toContain(secret);
    }
    const { out } = await run(['audit', '--json']);
    const row = out.split('\n').find((line) => line.includes('user.exported')) ?? '{}';
    const { userId, personDigest } = JSON.parse(row) as Record<string, unknown>;
    expect(told['user']).toMatchObject({ id: userId });
    expect(personDigest).toMatch(/^\S{43}$/);
    const again = await run(['user', 'export', String(userId)]);
    expect(again.out).toContain('"user.exported"');
  });

  it.each([SQLITE, POSTGRES])(
    'is erased from $name beside the running service, from the raw files too, and the log verifies',
    async (engine) => {
      const { settings, client, run, gone } = await openWith(engine);
      const stays = await signIn(client, FAISAL.nationalId);
      const open = await client.start({ national_id: AMAL.nationalId, locale: 'en' });
      const waiting = await client.start({ national_id: AMAL.nationalId, locale: 'en' });
      await client.post('/complete-mfa', { attempt_id: waiting.attempt_id });
      if (engine === POSTGRES) await ask(settings['DATABASE_URL'] ?? '', 'ANALYZE');
      expect(await engine.search(settings)).toEqual(CANARIES);

      const number = `${AMAL.nationalId}\n`;
      const asked = ['user', 'erase', '--national-id'];
      expect((await run(asked, `${number}no\n`)).code).toBe(1);
      expect((await run(asked, number)).code).toBe(1);
      expect(await statusOfToken(client, gone)).toBe(200);
      const said = await run([...asked, '--yes'], number);
      expect(said).toMatchObject({ code: 0, err: '' });
      expect(said.out).toContain('with 1 token and 3 attempts');
      // While anybody still has an older snapshot, as the server's own vacuum has, the rows stay.
      await vi.waitFor(
        async () => {
          await engine.afterwards(settings);
          expect(await engine.search(settings)).toEqual([]);
        },
        { timeout: WAIT_MS, interval: 500 },
      );

      expect(await statusOfToken(client, gone)).toBe(401);
      expect(await statusOfToken(client, stays)).toBe(200);
      const completed = await client.post('/complete-mfa', { attempt_id: open.attempt_id });
      expect(completed.status).toBe(404);
      const redeem = { attempt_token: waiting.attempt_token };
      expect((await client.post(`/token/${waiting.attempt_id}`, redeem)).status).toBe(404);
      expect((await run(['audit', '--verify'])).code).toBe(0);
      const { out } = await run(['audit', '--json']);
      const row = out.split('\n').find((line) => line.includes('user.erased')) ?? '{}';
      expect(JSON.parse(row)).toMatchObject({ userId: null, attemptId: null, personDigest: null });
      expect((await run(asked, number)).err).toBe('There is no user with it.\n');
    },
  );

  it('who is disabled is erased after a decision only, and may be kept out for good', async () => {
    const { client, run, gone } = await openWith(SQLITE);
    const { out } = await run(['user', 'export', '--national-id'], `${AMAL.nationalId}\n`);
    const id = String((JSON.parse(out) as { user: { id: number } }).user.id);
    await run(['user', 'disable', id]);
    const undecided = await run(['user', 'erase', id, '--yes']);
    expect([undecided.code, undecided.err]).toEqual([
      1,
      `User ${id} is disabled. Say --keep-out or --let-back.\n`,
    ]);
    expect((await run(['user', 'erase', id, '--yes', '--keep-out', '--let-back'])).code).toBe(2);
    expect((await run(['user', 'erase', id, '--yes', '--keep-out'])).code).toBe(0);
    expect(await statusOfToken(client, gone)).toBe(401);
    await expect(signIn(client, AMAL.nationalId)).rejects.toThrow(/user\.disabled/);
    expect((await run(['audit', '--verify'])).code).toBe(0);
    expect((await run(['user', 'enable', String(Number(id) + 1)])).code).toBe(0);
    expect(await statusOfToken(client, await signIn(client, AMAL.nationalId))).toBe(200);
  });
});

it.each([
  ['neither', []],
  ['both', ['1', '--national-id']],
])('miftah user erase wants to know who, and only once: %s', async (_, args) => {
  const folder = temporaryFolder('erasure-arguments');
  const settings = { DATA_DIR: folder, SECRET_KEY };
  await (await startServiceForTest({ dataDir: folder, settings })).stop();
  const said = await runMiftah(['user', 'erase', '--yes', ...args], settings);
  expect([said.code, said.err]).toEqual([
    2,
    expect.stringContaining('Say either the id of a user or --national-id.\n'),
  ]);
});
