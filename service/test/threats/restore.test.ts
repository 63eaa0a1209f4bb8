import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveClient, type Answer } from '../support/live/live-client.ts';
import { miftah, type Said } from '../support/programs/operator.ts';
import { BANK_KEY, rehearse, type Rehearsal } from '../support/live/rehearsal.ts';
import { copyStore } from '../support/attacks/damaged-store.ts';
import { logIn, redeemed, signIn, type Finished } from '../support/live/live-login.ts';

let folder: string;
let backup: string;
let rehearsal: Rehearsal;
let bank: LiveClient;
/** Tokens and sign-ins that were valid when the backup was made. */
let before: { amal: string; hanae: string; faisal: string; yara: string; lukas: Finished };
/** The user id of the person who signed in last. */
let lastUser = 0;
/** Who was erased after the backup was made, the second one for good. */
let gone = { hanae: 0, yara: 0 };
/** The output of the commands, and the answers of the service meanwhile. */
let said: { backup: Said; starts: readonly Answer[]; again: Said; restore: Said };

const run = (...args: string[]): Promise<Said> =>
  miftah(rehearsal, args, { AUDIT_HEAD_FILE: join(folder, 'audit-head') });
const staged = () => join(rehearsal.service.dataDir, 'restoring');
const shown = ({ status, code }: Answer) => `${status} ${code}`.trim();

async function userIdOf(token: string): Promise<number> {
  return Number((await bank.user(token)).data['id']);
}

/** Makes a backup while fifteen people start to sign in. */
async function backUpUnderLoad(): Promise<void> {
  const load = Array.from({ length: 15 }, (_, index) =>
    bank.start({}, { 'x-end-user-address': `203.0.113.${index}` }),
  );
  const made = await run('backup', backup);
  const again = await run('backup', backup);
  said = {
    backup: made,
    starts: await Promise.all(load),
    again,
    restore: await run('restore', backup),
  };
}

/** Ends tokens and disables people after the backup was made. */
async function endSomeOfIt(): Promise<void> {
  const headers = { authorization: `Bearer ${before.amal}` };
  await bank.send('/token', { method: 'DELETE', headers });
  expect(shown(await redeemed(bank, before.lukas))).toBe('200');
  const siobhan = await logIn(bank, 'siobhan');
  lastUser = await userIdOf(siobhan);
  for (const token of [before.faisal, siobhan]) {
    expect((await run('user', 'disable', String(await userIdOf(token)))).code).toBe(0);
  }
  // One who may come back, one who is kept out, and one whom the backup never had.
  const never = await userIdOf(await logIn(bank, 'kusuma'));
  gone = { hanae: await userIdOf(before.hanae), yara: await userIdOf(before.yara) };
  for (const id of [gone.hanae, never]) {
    expect((await run('user', 'erase', String(id), '--yes')).code).toBe(0);
  }
  expect((await run('user', 'erase', String(gone.yara), '--yes', '--keep-out')).code).toBe(0);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'miftah-restore-'));
  backup = join(folder, 'backup.db');
  const settings = { AUDIT_HEAD_FILE: join(folder, 'audit-head') };
  rehearsal = await rehearse({ settings });
  bank = new LiveClient(rehearsal, BANK_KEY);
  before = {
    amal: await logIn(bank, 'amal'),
    hanae: await logIn(bank, 'hanae'),
    faisal: await logIn(bank, 'faisal'),
    yara: await logIn(bank, 'yara'),
    lukas: await signIn(bank, 'lukas'),
  };
  await backUpUnderLoad();
  await endSomeOfIt();
  await rehearsal.service.stop();
});
afterAll(async () => {
  await rehearsal[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

describe('threat 64: a backup brings back what was ended since', () => {
  it('is made while the service writes, whole and private, and never over another file', () => {
    expect([said.backup.code, said.backup.err]).toEqual([0, '']);
    expect(said.starts.map(({ status }) => status)).toEqual(said.starts.map(() => 200));
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const database = new DatabaseSync(backup, { readOnly: true });
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    database.close();
    expect([said.again.code, said.again.err]).toEqual([
      1,
      expect.stringContaining('is there already'),
    ]);
  });

  it('takes the place of no store that a service runs on', () => {
    const { code, err } = said.restore;
    expect([code, err]).toEqual([1, expect.stringContaining('a service runs on')]);
  });

  it('put back by hand, it is not started on', async () => {
    const { dataDir } = rehearsal.service;
    copyStore(dataDir, folder);
    for (const suffix of ['-wal', '-shm']) {
      rmSync(join(dataDir, `miftah.db${suffix}`), { force: true });
    }
    copyFileSync(backup, join(dataDir, 'miftah.db'));
    const again = await rehearsal.spawnAgain();
    expect((await again.refused()).code).toBe(1);
    expect(again.stderr()).toContain('miftah restore');
    copyStore(folder, dataDir);
  });

  it('what is no backup changes nothing', async () => {
    const database = join(rehearsal.service.dataDir, 'miftah.db');
    const size = statSync(database).size;
    const letter = join(folder, 'letter');
    writeFileSync(letter, 'This is a letter to the bank.\n'.repeat(400));
    const { code, err } = await run('restore', letter);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`${letter} is no whole copy of a store`),
    ]);
    const { err: none } = await run('restore', join(folder, 'nothing'));
    expect(none).toContain('nothing is not there');
    expect(statSync(database).size).toBe(size);
    expect(existsSync(staged())).toBe(false);
  });

  it('refused for its key, it leaves no copy of the people in the backup behind', async () => {
    const { dataDir } = rehearsal.service;
    for (const DATA_DIR of [dataDir, join(folder, 'new')]) {
      const settings = { SECRET_KEY: '7a'.repeat(32), DATA_DIR };
      const strange = await miftah(rehearsal, ['restore', backup], settings);
      const reason = 'a key that is neither SECRET_KEY nor one of RETIRED_SECRET_KEYS';
      expect([strange.code, strange.err]).toEqual([1, expect.stringContaining(reason)]);
      expect(existsSync(join(DATA_DIR, 'restoring'))).toBe(false);
    }
  });

  it('killed, it leaves a copy that the doctor names, and the next start removes', async () => {
    mkdirSync(staged());
    copyFileSync(backup, join(staged(), 'miftah.db'));
    expect((await run('doctor')).out).toContain(`${staged()} has a copy of a backup`);
    const next = await rehearsal.spawnAgain();
    await next.ready();
    expect(existsSync(staged())).toBe(false);
    await next.stop();
  });

  it('restored, it refuses all of that on the very first request', async () => {
    const restored = await run('restore', backup);
    expect([restored.code, restored.err]).toEqual([0, '']);
    // The third is kept out.
    expect(restored.out).toContain('Disabled 3 people who had been disabled or kept out since');
    expect(restored.out).toContain('Erased 2 people again who had been erased since');
    for (const id of Object.values(gone)) {
      expect((await run('user', 'show', String(id))).err).toContain(`no user ${id}`);
    }
    const { dataDir } = rehearsal.service;
    expect(statSync(join(dataDir, 'miftah.db')).mode & 0o777).toBe(0o600);
    expect(existsSync(staged())).toBe(false);
    expect((await run('audit', '--verify')).code).toBe(0);
    // The replaced store is evidence, so a second restore must not delete it.
    const second = await run('restore', backup);
    expect([second.code, second.err]).toEqual([1, expect.stringContaining('miftah.db.replaced')]);

    await (await rehearsal.spawnAgain()).ready();
    const answers = await Promise.all([
      bank.user(before.amal),
      bank.user(before.hanae),
      redeemed(bank, before.lukas),
    ]);
    expect(answers.map(shown)).toEqual([
      '401 token.invalid',
      '401 token.invalid',
      '409 attempt.failed',
    ]);
    // The first was in the backup; the second had not signed in yet.
    for (const person of ['faisal', 'siobhan', 'yara']) {
      expect(shown(await redeemed(bank, await signIn(bank, person)))).toBe('403 user.disabled');
    }
    // Whoever was erased and may come back is somebody new.
    expect(await userIdOf(await logIn(bank, 'hanae'))).toBeGreaterThan(lastUser);
    // Nobody gets the id of a person who signed in after the backup.
    expect(await userIdOf(await logIn(bank, 'kusuma'))).toBeGreaterThan(lastUser);
    expect((await run('audit', '--verify')).code).toBe(0);
  });
});
