import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveClient, type Answer, type Started } from '../support/live/live-client.ts';
import { temporaryFolder } from '../support/at-end.ts';
import type { Environment } from '../../../scripts/rehearsal.ts';
import { miftah, runMiftah, runMiftahProgram, type Said } from '../support/programs/operator.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { BANK_KEY, type Rehearsed } from '../support/live/rehearsal.ts';
import { openRehearsal } from '../support/live/shared-rehearsal.ts';
import { openListening, refusalOf } from '../support/service/listening-service.ts';

let rehearsal: Rehearsed;
beforeAll(async () => void (rehearsal = await openRehearsal()));
afterAll(async () => rehearsal[Symbol.asyncDispose]());

const bank = (of = rehearsal) => new LiveClient(of, BANK_KEY);
const run = (...args: string[]): Promise<Said> => miftah(rehearsal, args);

interface SignedIn {
  readonly started: Started;
  readonly code: string;
}

async function signIn(person: string, of = rehearsal): Promise<SignedIn> {
  const started = await bank(of).startRedirect();
  const back = await new PersonBrowser().signIn(started.authorization_url, person);
  return { started, code: back.searchParams.get('completion_code') ?? '' };
}

async function logIn(person: string, of = rehearsal) {
  const { started, code } = await signIn(person, of);
  const { data } = await bank(of).redeem(started, { completion_code: code });
  const { token, user } = data as { token: string; user: { id: number } };
  return { started, token, userId: String(user.id) };
}

const shown = ({ status, code }: Answer) => (code === '' ? status : `${status} ${code}`);

describe('miftah user', () => {
  it('disable ends the tokens of a person and gives them no new one; enable takes it back', async () => {
    const { token, userId } = await logIn('amal');
    const waiting = await signIn('amal');
    expect((await run('user', 'disable', userId)).code).toBe(0);
    expect(shown(await bank().user(token))).toBe('401 token.invalid');
    const redeem = () => bank().redeem(waiting.started, { completion_code: waiting.code });
    expect(shown(await redeem())).toBe('403 user.disabled');
    expect((await run('user', 'show', userId)).out).toMatch(/disabled {2}20\d\d-/);
    expect((await run('user', 'enable', userId)).code).toBe(0);
    expect(shown(await bank().user(token))).toBe(200);
    expect(shown(await redeem())).toBe(200);
  });

  it.each(['0', '-1', 'x', '1e3'])('does not take %s for an id', async (id) => {
    expect((await run('user', 'disable', '--', id)).code).toBe(2);
  });

  it('says of somebody who is not there that nobody is', async () => {
    const { code, err } = await run('user', 'disable', '999999');
    expect([code, err]).toEqual([1, 'There is no user 999999.\n']);
  });
});

describe('the commands that drive an instance', () => {
  it('sign in at a service of live mode, and do the part of the person at its simulator', async () => {
    const { origins } = rehearsal;
    const settings = { MIFTAH_URL: origins.service, MIFTAH_KEY: BANK_KEY };
    const login = runMiftahProgram(['login', '--phone', '-'], settings, '1000002201\n');
    const approving = ['approve', '1000002201', '--timeout', '30'];
    const approved = await runMiftah(approving, { MIFTAH_URL: origins.simulator });
    expect(approved, approved.err).toMatchObject({ code: 0 });
    const { code, out, err } = await login;
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ user: { national_id: '1000002201' } });
  });

  it('say that such a service has no simulator', async () => {
    const { code, err } = await runMiftah(['people'], { MIFTAH_URL: rehearsal.origins.service });
    expect(code).toBe(1);
    expect(err).toContain('command.no_simulator: This service is a rehearsal of live mode');
  });
});

describe('miftah revoke', () => {
  it('--user ends the tokens of one person, --all those of everybody, and sign-ins under way', async () => {
    const [one, other] = [await logIn('faisal'), await logIn('siobhan')];
    const waiting = await signIn('lukas');
    expect((await run('revoke', '--user', one.userId)).code).toBe(0);
    expect(shown(await bank().user(one.token))).toBe('401 token.invalid');
    expect(shown(await bank().user(other.token))).toBe(200);
    expect((await run('revoke', '--all')).out).toMatch(
      /^Ended (?:1 token|\d+ tokens) and 1 sign-in\.\n$/,
    );
    expect(shown(await bank().user(other.token))).toBe('401 token.invalid');
    const redeemed = await bank().redeem(waiting.started, { completion_code: waiting.code });
    expect(shown(redeemed)).toBe('409 attempt.failed');
  });

  it('wants to know whose, and only once', async () => {
    const both = ['revoke', '--all', '--client', 'bank'];
    expect(await run('revoke')).toMatchObject({ code: 2, out: '' });
    expect((await run(...both)).err).toMatch(
      /^miftah: command\.wrong_arguments: Say exactly one of --all, --user and --client/,
    );
  });

  // As commander's own faults are: a script can tell them from a refusal.
  it.each([
    [['revoke', '--user', '1', '--all']],
    [['user', 'erase', '1', '--keep-out', '--let-back']],
    [['restore']],
    [['restore', 'file', '--database', 'name']],
    [['calls', 'x']],
    [['audit', '--attempt', 'x']],
  ])('%j are wrong arguments', async (args) => {
    expect((await run(...args)).code).toBe(2);
  });
});

const UNKNOWN = '019a9d3c-1b2e-7c41-9f0a-3d5e6f708192';

describe('miftah calls', () => {
  it('shows what was said to the provider for an attempt, and no secret of it', async () => {
    const { started } = await logIn('hanae');
    const { out } = await run('calls', started.attempt_id);
    const lines = out.trim().split('\n');
    expect(lines.map((line) => line.split('  ')[1])).toEqual(['session', 'exchange']);
    const { out: json } = await run('calls', '--json', started.attempt_id);
    const exchange = JSON.parse(json.trim().split('\n')[1] ?? '') as Record<string, unknown>;
    expect(exchange).toMatchObject({ status: 200, body: { state: '[redacted]' } });
    expect(json).not.toContain('4000011001');
  });

  it('has nothing of an attempt that is unknown', async () => {
    const { code, err } = await run('calls', UNKNOWN);
    expect([code, err]).toEqual([1, 'No call is recorded for this attempt.\n']);
  });

  it('says that plain simulator mode makes none, and what has the attempt there', async () => {
    const service = await openListening();
    const call = async (settings: Record<string, string>) =>
      runMiftah(['calls', UNKNOWN], { DATA_DIR: service.dataDir, ...settings });
    expect((await call({})).err).toMatch(/simulator mode calls no provider.*`miftah attempt 019a/);
    const strict = await call({ STRICT: 'yes' });
    expect([strict.code, strict.err]).toEqual([1, 'No call is recorded for this attempt.\n']);
  });
});

describe('miftah audit', () => {
  it('has one row of each thing that happened to an attempt, and names nobody', async () => {
    const { started, token } = await logIn('amal');
    await bank().redeem(started);
    expect(shown(await bank().user(token))).toBe(200);
    const { out } = await run('audit', '--attempt', started.attempt_id);
    const actions = out
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/)[2]);
    expect(actions).toEqual(['attempt.authenticated', 'token.issued', 'token.replayed']);
    const { out: all } = await run('audit');
    expect(all).toMatch(/^\s+1 {2}\S+ {2}store\.sealed/);
    for (const secret of ['1000001101', 'Amal', token]) expect(all).not.toContain(secret);
  });

  it('--verify finds it whole, and a changed row in it', async () => {
    const verified = await run('audit', '--verify');
    expect(verified).toMatchObject({ code: 0, err: '' });
    expect(verified.out).toContain(`The store in ${rehearsal.service.dataDir}:`);
    expect(verified.out).toMatch(/The log ends with row \d+\. Every row is as it was written/);
    const database = new DatabaseSync(join(rehearsal.service.dataDir, 'miftah.db'));
    const trigger = database
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%UPDATE ON audit_log%'",
      )
      .get();
    database.exec(`DROP TRIGGER ${String(trigger?.['name'])}`);
    database.exec("UPDATE audit_log SET client = 'shop' WHERE sequence = 2");
    database.close();
    const found = await run('audit', '--verify');
    expect(found.code).toBe(1);
    expect(found.err).toMatch(
      /^Row 2 is wrong: it is not as it was written\. If several instances /,
    );
  });
});

describe('the key', () => {
  const NEW_KEY = '7a'.repeat(32);

  it('can be changed: people stay who they are, also when the old one is gone', async () => {
    await using own = await openRehearsal();
    const { token, userId } = await logIn('amal', own);
    await own.service.stop();
    const both = { SECRET_KEY: NEW_KEY, RETIRED_SECRET_KEYS: own.plan.secretKey };
    const second = await own.openAgain(both);
    expect(shown(await bank(own).user(token))).toBe(200);
    expect((await logIn('amal', own)).userId).toBe(userId);
    await logIn('faisal', own);
    const rotated = await miftah(own, ['keys', 'rotate'], both);
    expect([rotated.code, rotated.out]).toEqual([
      0,
      expect.stringContaining('Leave that key in RETIRED_SECRET_KEYS'),
    ]);
    await second.stop();
    const third = await own.openAgain({ SECRET_KEY: NEW_KEY });
    expect(shown(await bank(own).user(token))).toBe(200);
    expect((await logIn('amal', own)).userId).toBe(userId);
    await third.stop();
  });

  it('of before proves what was logged under it, and who looks without it is told so', async () => {
    await using own = await openRehearsal();
    const both = { SECRET_KEY: NEW_KEY, RETIRED_SECRET_KEYS: own.plan.secretKey };
    await own.service.stop();
    const second = await own.openAgain(both);
    await second.stop();
    const alone = { SECRET_KEY: NEW_KEY };
    const verify = (settings: Environment) => miftah(own, ['audit', '--verify'], settings);
    expect(await verify(both)).toMatchObject({ code: 0, err: '' });
    const unproven = await verify(alone);
    expect(unproven.code).toBe(1);
    expect(unproven.err).toMatch(/^Row 1 is wrong: .* give the earlier key too/);
    const examined = async (settings: Environment) => {
      const { out } = await miftah(own, ['doctor', '--json'], settings);
      return out.split('\n').find((line) => line.includes('"audit.chain"'));
    };
    expect(await examined(both)).toContain('"ok"');
    expect(await examined(alone)).toContain('give the earlier key in RETIRED_SECRET_KEYS');
    // Of two earlier keys, the later one is missing.
    const third = '7b'.repeat(32);
    const all = { SECRET_KEY: third, RETIRED_SECRET_KEYS: `${NEW_KEY},${own.plan.secretKey}` };
    const next = await own.openAgain(all);
    await next.stop();
    expect(await verify(all)).toMatchObject({ code: 0, err: '' });
    const gap = { SECRET_KEY: third, RETIRED_SECRET_KEYS: own.plan.secretKey };
    expect((await verify(gap)).err).toMatch(/^Row \d+ is wrong: .* give the earlier key too/);
    expect(await examined(gap)).toContain('give the earlier key in RETIRED_SECRET_KEYS');
  });

  it('is needed: with another one the service does not start, until who is lost is given up', async () => {
    await using own = await openRehearsal();
    const { token } = await logIn('amal', own);
    const lost = { SECRET_KEY: NEW_KEY, AUDIT_HEAD_FILE: join(own.plan.folder, 'audit-head') };
    const early = await miftah(own, ['keys', 'abandon', '--yes'], lost);
    expect([early.code, early.err]).toEqual([1, expect.stringMatching(/a service runs .*Stop it/)]);
    await own.service.stop();
    const before = await own.openAgain({ AUDIT_HEAD_FILE: lost.AUDIT_HEAD_FILE });
    await before.stop();
    expect(await refusalOf({ ...own.service.settings, ...lost })).toContain('miftah keys abandon');
    const asked = await miftah(own, ['keys', 'abandon'], lost);
    expect([asked.code, asked.err]).toEqual([
      1,
      '1 person would be given up. Say --yes to do it.\n',
    ]);
    const placeless = { ...lost, AUDIT_HEAD_FILE: join(own.plan.folder, 'missing', 'head') };
    const untouched = await miftah(own, ['keys', 'abandon', '--yes'], placeless);
    expect([untouched.code, untouched.out]).toEqual([1, '']);
    const done = await miftah(own, ['keys', 'abandon', '--yes'], lost);
    expect([done.code, done.err]).toEqual([0, '']);
    expect(done.out).toContain(`The one of before is ${lost.AUDIT_HEAD_FILE}.abandoned`);
    const again = await own.openAgain(lost);
    expect(shown(await bank(own).user(token))).toBe('401 token.invalid');
    expect(shown(await bank(own).user((await logIn('amal', own)).token))).toBe(200);
    await again.stop();
    const { out } = await miftah(own, ['doctor'], lost);
    expect(out).toMatch(
      /warning +audit\.chain .*No key proves the rows up to \d+: theirs was given up/,
    );
    expect(out).toMatch(/ok +audit\.head /);
    expect(out).toMatch(/ok +provider\.tokens /);
    const verified = await miftah(own, ['audit', '--verify'], lost);
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('given up')]);
  });
});

it('`keys abandon` gives up nothing where somebody has changed the end of the log', async () => {
  await using own = await openRehearsal();
  const given = { AUDIT_HEAD_FILE: join(own.plan.folder, 'audit-head') };
  await own.service.stop();
  const before = await own.openAgain(given);
  await before.stop();
  const database = new DatabaseSync(join(before.dataDir, 'miftah.db'));
  database.exec(`DROP TRIGGER audit_log_never_changes;
    UPDATE audit_log SET at = at + 1 WHERE sequence = (SELECT max(sequence) FROM audit_log)`);
  database.close();
  const said = await miftah(own, ['keys', 'abandon', '--yes'], given);
  expect([said.code, said.out]).toEqual([1, '']);
  expect(said.err).toContain('no key is lost, somebody has changed the store');
  expect(existsSync(`${given.AUDIT_HEAD_FILE}.abandoned`)).toBe(false);
  // Other commands refuse the store. This one says what is wrong with it.
  const verified = await miftah(own, ['audit', '--verify'], given);
  expect([verified.code, verified.out]).toEqual([1, '']);
  expect(verified.err).toMatch(
    /^Row \d+ is wrong: it is not as it was written\. If several instances /m,
  );
  const rows = await miftah(own, ['audit'], given);
  expect([rows.code, rows.out]).toEqual([0, expect.stringContaining('service.started')]);
});

it('`keys abandon` in a folder without a store makes none', async () => {
  const DATA_DIR = temporaryFolder('no-store');
  const settings = { DATA_DIR, SECRET_KEY: 'ab'.repeat(32) };
  const said = await runMiftah(['keys', 'abandon', '--yes'], settings);
  expect(said).toMatchObject({ code: 1, out: '' });
  expect(said.err).toContain('there is no store in');
  expect(readdirSync(DATA_DIR)).toEqual([]);
});

describe('a command with another key than the service’s', () => {
  it('is refused, so that it can’t break the audit log', async () => {
    const { userId } = await logIn('amal');
    const wrong = { SECRET_KEY: '7a'.repeat(32) };
    for (const args of [
      ['user', 'disable', userId],
      ['revoke', '--all'],
      ['audit', '--verify'],
    ]) {
      const refused = await miftah(rehearsal, args, wrong);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain('RETIRED_SECRET_KEYS');
    }
  });
});

describe('a start that is refused', () => {
  it('leaves the store unsealed: the settings can be put right', async () => {
    await using own = await openRehearsal();
    await own.service.stop();
    const fresh = { ...own.service.settings, DATA_DIR: join(own.plan.folder, 'fresh') };
    const said = await refusalOf({ ...fresh, ALLOW_SIMULATOR: '' });
    expect(said).toContain('set ALLOW_SIMULATOR=yes to rehearse with it');
    await openListening({ settings: fresh });
  });
});

describe('the seal', () => {
  it('keeps a store to its mode and its provider', async () => {
    await using own = await openRehearsal();
    const { token } = await logIn('amal', own);
    await own.service.stop();
    const refused = (settings: Environment) => refusalOf({ ...own.service.settings, ...settings });
    for (const settings of [
      { PROVIDER_ISSUER: 'https://another.example.test' },
      { PROVIDER_PATH_PREFIX: '/' },
    ]) {
      expect(await refused(settings)).toContain('rehearsal');
    }
    await refused({
      PROVIDER: 'simulator',
      PROVIDER_URL: '',
      PROVIDER_APP_ID: '',
      PROVIDER_APP_KEY: '',
    });
    const again = await own.openAgain();
    expect(shown(await bank(own).user(token))).toBe(200);
    await again.stop();
  });
});
