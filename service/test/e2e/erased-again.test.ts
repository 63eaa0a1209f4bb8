import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { expect, it, vi } from 'vitest';
import { AuditHeadFile } from '../../src/platform/files/audit-head-file.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening } from '../support/service/listening-service.ts';

/** A restore erases again who was erased since the backup, and nobody else. */

const numberOf = (id: string) => BUILT_IN_PEOPLE.all.find((one) => one.id === id)?.nationalId;

async function open() {
  const dataDir = temporaryFolder('erased-again');
  const missing = join(temporaryFolder('erased-again-head'), 'missing');
  const AUDIT_HEAD_FILE = join(missing, 'audit-head');
  const settings = { DATA_DIR: dataDir, SECRET_KEY: 'ab'.repeat(32) };
  const service = await openListening({ settings });
  const client = clientForTest(service);
  const run = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runMiftah(args, settings);
    expect(code, err).toBe(0);
    return out;
  };
  return {
    run,
    /** With a head whose folder is not there. */
    runWithoutPlace: (...args: string[]) => runMiftah(args, { ...settings, AUDIT_HEAD_FILE }),
    /** With the place that the command before could not write to. */
    async startInPlace(): Promise<void> {
      mkdirSync(missing);
      await openListening({ settings: { ...settings, AUDIT_HEAD_FILE } });
      await expect.poll(() => existsSync(AUDIT_HEAD_FILE)).toBe(true);
    },
    stop: () => service.stop(),
    /** @returns the user's id */
    signIn: async (person: string): Promise<number> => {
      const attempt = await client.start({ national_id: numberOf(person), locale: 'en' });
      await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
      return (await client.token(attempt)).user.id;
    },
    erase: (id: number, ...options: string[]) =>
      run('user', 'erase', String(id), '--yes', ...options),
    /** The ids of all users, and of all whom a row of these tables is about. */
    idsIn(): { users: number[]; tokens: number[] } {
      using database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
      const read = (sql: string) =>
        database
          .prepare(sql)
          .all()
          .map((row) => Number(row['id']));
      return {
        users: read('SELECT id FROM users ORDER BY id'),
        tokens: read('SELECT DISTINCT user_id AS id FROM api_tokens ORDER BY user_id'),
      };
    },
    countOfErased: async () => (await run('audit', '--json')).split('"user.erased"').length - 1,
  };
}

it('erases again exactly those who were erased since the backup', async () => {
  const { signIn, erase, run, runWithoutPlace, ...store } = await open();
  const early = await signIn('amal');
  const returned = await signIn('faisal');
  await erase(early);
  await erase(returned);
  // Erased before the backup, and there again: the backup has the person under the new id.
  const again = await signIn('faisal');
  const kept = [again, await signIn('yara'), await signIn('kusuma')];
  const gone = [await signIn('siobhan'), await signIn('imran'), await signIn('lukas')] as const;
  const backup = join(temporaryFolder('erased-again-backup'), 'backup');
  await run('backup', backup);

  const [plain, keptOut, back] = gone;
  await erase(plain);
  await erase(keptOut, '--keep-out');
  await erase(back);
  // Neither who comes back after it, nor who came and went since, is in the backup.
  await signIn('lukas');
  await erase(await signIn('hanae'));
  await store.stop();
  const before = await store.countOfErased();

  const refused = await runWithoutPlace('restore', backup);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/audit-head \(AUDIT_HEAD_FILE\) can't be written: ENOENT/);
  expect(await store.countOfErased()).toBe(before);

  // As if the place were lost while the backup is restored.
  vi.spyOn(AuditHeadFile.prototype, 'requireWritable').mockReturnValueOnce();
  const restored = await runWithoutPlace('restore', backup);
  expect(restored.code).toBe(1);
  expect(restored.out).toMatch(/\b3 people .*erased/);
  expect(restored.err).toMatch(/^All of that is done.*ENOENT.*the next start of the service/s);
  expect(store.idsIn()).toEqual({ users: kept, tokens: kept });
  expect(before).toBe(6);
  // Two before the backup, and the three of the restore.
  expect(await store.countOfErased()).toBe(5);
  await store.startInPlace();
});
