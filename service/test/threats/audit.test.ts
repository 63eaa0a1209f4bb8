import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceSettings } from '../../../scripts/rehearsal.ts';
import { auditCommand } from '../../src/commands/audit/audit.ts';
import { readHead } from '../../src/operate/audit-head.ts';
import { operatorParts } from '../../src/program/operator.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { clientForTest, startServiceForTest } from '../support/programs/for-test.ts';
import { miftah, runMiftah, type Said } from '../support/programs/operator.ts';
import { until } from '../support/programs/until.ts';
import { BANK_KEY, rehearse, type Rehearsal } from '../support/live/rehearsal.ts';
import { alter, copyStore, cutTail } from '../support/attacks/damaged-store.ts';
import { logIn } from '../support/live/live-login.ts';
import { createFakeClock } from '../support/service/fake-clock.ts';
import { issuedOf, redeem, startCompleted } from '../support/service/login.ts';
import { openTestService } from '../support/service/test-service.ts';

/** The log has no commit then. */
const LOG_HEADER_BYTES = 32;

/** The folder of a stopped service with three sign-ins in its log, and a copy of its store. */
let folder: string;
let headFile: string;
let rehearsal: Rehearsal;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'miftah-audit-'));
  headFile = join(folder, 'audit-head');
  rehearsal = await rehearse({ settings: { AUDIT_HEAD_FILE: headFile } });
  const bank = new LiveClient(rehearsal, BANK_KEY);
  for (const person of ['amal', 'faisal', 'hanae']) await logIn(bank, person);
  await rehearsal.service.stop();
  copyStore(rehearsal.service.dataDir, folder);
});
afterAll(async () => {
  await rehearsal[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const verify = (settings = {}): Promise<Said> =>
  miftah(rehearsal, ['audit', '--verify'], { AUDIT_HEAD_FILE: headFile, ...settings });

async function afterDamage(sql: string, look: () => Promise<void>): Promise<void> {
  const { dataDir } = rehearsal.service;
  alter(dataDir, sql);
  try {
    await look();
  } finally {
    copyStore(folder, dataDir);
  }
}

describe('threat 63: the end of the audit log is cut off', () => {
  it('a whole log verifies, and it is said what is not proved', async () => {
    const withHead = await verify();
    expect([withHead.code, withHead.err]).toEqual([0, '']);
    expect(withHead.out).toContain(`as ${headFile} had it on`);
    expect(withHead.out).toContain('Not proved: that no rows since then');
    const without = await verify({ AUDIT_HEAD_FILE: '' });
    expect([without.code, without.err]).toEqual([0, '']);
    expect(without.out).toContain('Not proved, because no AUDIT_HEAD_FILE is set');
    expect(statSync(headFile).mode & 0o777).toBe(0o600);
  });

  it('five rows and the head moved back: found by the file, and by the store itself', () =>
    afterDamage(cutTail(5), async () => {
      const withHead = await verify();
      expect(withHead.code).toBe(1);
      const without = await verify({ AUDIT_HEAD_FILE: '' });
      expect(without.code).toBe(1);
      expect(without.err).toMatch(/^A row is missing: the store has the (token|attempt) \S+, and/);
    }));

  it('rows with all that they are about: found by the file, and the service does not start', () =>
    afterDamage(`${cutTail(5)}; DELETE FROM api_tokens; DELETE FROM attempts`, async () => {
      const { code, err } = await verify();
      expect([code, err]).toEqual([
        1,
        expect.stringContaining('The log is cut off, or older than'),
      ]);
      const again = await rehearsal.spawnAgain();
      expect((await again.refused()).code).toBe(1);
      expect(again.stderr()).toContain('older than the head of its audit log');
      expect(again.stderr()).toContain('miftah restore');
      // Without the head file the cut can't be found; the command says that this is not proved.
      expect((await verify({ AUDIT_HEAD_FILE: '' })).code).toBe(0);
    }));

  it('the end of the write-ahead log: no service starts on what is left', async () => {
    const { dataDir } = rehearsal.service;
    const kept = readFileSync(headFile);
    const killed = await rehearsal.spawnAgain();
    await killed.ready();
    await until(() => !readFileSync(headFile).equals(kept));
    await killed.kill();
    const log = join(dataDir, 'miftah.db-wal');
    expect(statSync(log).size).toBeGreaterThan(LOG_HEADER_BYTES);
    // As a power cut would leave it on a disk that says it has flushed and has not.
    truncateSync(log, LOG_HEADER_BYTES);
    try {
      const again = await rehearsal.spawnAgain();
      expect((await again.refused()).code).toBe(1);
      expect(again.stderr()).toContain('older than the head of its audit log');
    } finally {
      copyStore(folder, dataDir);
      writeFileSync(headFile, kept);
    }
  });

  it('one end is told of, also where the service writes meanwhile', async () => {
    const { plan, service } = rehearsal;
    const kept = readFileSync(headFile);
    const environment = {
      ...serviceSettings(plan),
      DATA_DIR: service.dataDir,
      AUDIT_HEAD_FILE: headFile,
    };
    const parts = operatorParts({ configFile: () => undefined, environment, tell: () => {} });
    const writeMore = () =>
      parts.withStore(async (store, at) => {
        await store.recordEvent({ at, action: 'service.started' });
        (await parts.headFile())?.write(await readHead(store, at));
      });
    const said: string[] = [];
    const program = new Command();
    auditCommand(program, {
      ...parts,
      print: (line) => void said.push(line),
      deliver: async (text) => void said.push(text),
      isAppending: () => false,
      tell: () => {},
      misuse: () => {},
      fail: (line) => void said.push(line),
      withLog: (work) =>
        parts.withLog((log, now) =>
          work(
            {
              ...log,
              verifyAudit: async () => {
                const verdict = await log.verifyAudit();
                await writeMore();
                return verdict;
              },
            },
            now,
          ),
        ),
    });
    try {
      await program.parseAsync(['audit', '--verify'], { from: 'user' });
      const [, last] = /^The log ends with row (\d+)\./m.exec(said.join('\n')) ?? [];
      expect(said.join('\n')).toContain(`The log reaches row ${last},`);
    } finally {
      copyStore(folder, service.dataDir);
      writeFileSync(headFile, kept);
    }
  });

  it('a head that somebody has made up is not believed', async () => {
    const genuine = readFileSync(headFile, 'utf8');
    const forged = genuine.replace(/head 1 \d+ /, 'head 1 1 ');
    const other = join(folder, 'forged');
    writeFileSync(other, forged);
    const { code, err } = await verify({ AUDIT_HEAD_FILE: other });
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('was changed, or written under a key'),
    ]);
    expect((await verify({ AUDIT_HEAD_FILE: join(folder, 'none') })).err).toContain('is not there');
  });
});

describe('threat 116: a revocation or a disabling is taken back in the store', () => {
  it('each is found, and what is right is not', async () => {
    const { dataDir } = rehearsal.service;
    const [userId] = usersIn(dataDir);
    try {
      for (const args of [
        ['revoke', '--all'],
        ['user', 'disable', String(userId)],
      ]) {
        expect((await miftah(rehearsal, args)).code).toBe(0);
      }
      expect(await verify()).toMatchObject({ code: 0, err: '' });
      alter(dataDir, 'UPDATE users SET disabled_at = NULL');
      const enabled = await verify();
      expect([enabled.code, enabled.out]).toEqual([1, '']);
      expect(enabled.err).toContain(`the log has user.disabled of the user ${userId},`);
      alter(dataDir, 'UPDATE api_tokens SET revoked_at = NULL');
      const valid = await verify();
      expect([valid.code, valid.out]).toEqual([1, '']);
      expect(valid.err).toMatch(/the log has tokens\.revoked_all of the token \S+, and the store/);
      const { out } = await miftah(rehearsal, ['doctor'], { AUDIT_HEAD_FILE: headFile });
      expect(out).toMatch(/fault +audit\.chain .*Something was undone/);
    } finally {
      copyStore(folder, dataDir);
    }
  });
});

function usersIn(dataDir: string): number[] {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  const rows = database.prepare('SELECT id FROM users ORDER BY id').all();
  database.close();
  return rows.map(({ id }) => Number(id));
}

describe('threat 115: an old row is changed, and the retention removes it', () => {
  it('nothing is removed, the service says so once and goes on, and the row can be found', async () => {
    const clock = createFakeClock(Date.now() - 40 * DAY_MS);
    const settings = { RETENTION_AUDIT: '30d' };
    const old = await openTestService({ clock });
    issuedOf(await redeem(old, await startCompleted(old)));
    await old.close();
    const { dataDir } = old;
    alter(dataDir, "UPDATE audit_log SET client = 'another' WHERE action = 'token.issued'");
    const service = await startServiceForTest({ settings, dataDir });
    const client = clientForTest(service);
    const move = JSON.stringify({ advance: '61s' });
    const json = { 'content-type': 'application/json' };
    for (let minute = 0; minute < 2; minute += 1) {
      expect((await client.send('POST', '/simulator/clock', json, move)).status).toBe(200);
    }
    const metrics = await client.send('GET', '/metrics');
    expect(metrics.text).toMatch(/^miftah_audit_cut_refusals_total [23]$/m);
    const wrong = /^Row \d+ is wrong: it is not as it was written\. If several instances /m;
    const lines = service
      .stdout()
      .split('\n')
      .filter((line) => line.includes('the audit log is'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 50,
      msg: 'the audit log is broken',
      err: { message: expect.stringMatching(wrong) as unknown },
    });
    expect((await client.send('GET', '/readyz')).status).toBe(200);
    await client.start({ locale: 'en' });
    const said = await runMiftah(['audit', '--verify'], { DATA_DIR: dataDir });
    expect([said.code, said.err]).toEqual([1, expect.stringMatching(wrong)]);
  });
});
