import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { keyedDigestText } from '../../src/values/secret.ts';
import { BEHIND_PROXY, somebody } from '../support/attacks/crowd.ts';
import { KeyFiles, linesOf, READ_ANEW, replaceFile, STAYS } from '../support/live/key-files.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { logIn } from '../support/live/live-login.ts';
import { openLive } from '../support/live/live-service.ts';
import { BANK_KEY, rehearse, type Rehearsed } from '../support/live/rehearsal.ts';
import { openRehearsal } from '../support/live/shared-rehearsal.ts';
import { ask, OPENID_CLIENTS, openStrictOpenid } from '../support/openid/openid-scene.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { miftah } from '../support/programs/operator.ts';
import type { ServiceProcess } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';
import { openListening, type ListeningService } from '../support/service/listening-service.ts';

/** The key of the service, changed by SIGHUP: SECRET_KEY and RETIRED_SECRET_KEYS in files. */

const [OLD, NEW, SPARE] = ['ab', 'cd', 'ef'].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string,
];
const PEOPLE = ['amal', 'faisal', 'yara', 'tala', 'imran', 'lukas'];
const SIGN_INS_EACH = atLength(5, 1);

/** All people sign in side by side, each at each instance in turn. */
function signingIn(origins: readonly string[]) {
  const clients = origins.map((origin) => new LiveClient({ service: { origin } }, BANK_KEY));
  const done: { readonly name: string; readonly token: string }[] = [];
  let turn = 0;
  const signIn = async (name: string, place: number) => {
    const client = clients[(turn + place) % clients.length] ?? expect.unreachable('there is one');
    done.push({ name, token: await logIn(client, name) });
  };
  const all = async () => {
    for (let time = 0; time < SIGN_INS_EACH; time += 1) {
      turn += 1;
      await Promise.all(PEOPLE.map(signIn));
    }
  };
  return {
    done,
    all,
    /** Whatever changes meets them at a moment of its own. */
    beside: async <Result>(change: Promise<Result>): Promise<Result> =>
      (await Promise.all([change, all()]))[0],
  };
}

/** Sends SIGHUP, and waits for what the log then says. */
async function hangUp(service: ServiceProcess, message = READ_ANEW) {
  const before = linesOf(service.stdout(), message).length;
  service.signal('SIGHUP');
  await until(() => linesOf(service.stdout(), message).length > before);
  return linesOf(service.stdout(), message)[before];
}

/** Each token is good, and those of one person are of one user, as is the next sign-in. */
async function expectOnePersonEach(
  { service: { origin } }: Rehearsed,
  done: readonly { readonly name: string; readonly token: string }[],
) {
  const client = new LiveClient({ service: { origin } }, BANK_KEY);
  const ids = new Map<string, Set<unknown>>();
  const again = await Promise.all(
    PEOPLE.map(async (name) => ({ name, token: await logIn(client, name) })),
  );
  for (const { name, token } of [...done, ...again]) {
    const { status, data } = await client.get('/user', {
      ...somebody(),
      authorization: `Bearer ${token}`,
    });
    expect(status).toBe(200);
    ids.set(name, (ids.get(name) ?? new Set()).add(data['id']));
  }
  expect([...ids.values()].map((one) => one.size)).toEqual(PEOPLE.map(() => 1));
}

it('the key of a file is changed while people sign in, and a kill right after it loses nobody', async () => {
  const files = new KeyFiles();
  files.write(OLD, SPARE);
  await using rehearsal = await rehearse({ settings: { ...files.settings, ...BEHIND_PROXY } });
  const { service } = rehearsal;
  const people = signingIn([service.origin]);
  await people.all();
  files.write(OLD, SPARE, NEW);
  expect((await hangUp(service))?.settings).toEqual(['RETIRED_SECRET_KEYS']);
  files.write(NEW, SPARE, OLD);
  expect((await people.beside(hangUp(service)))?.settings).toEqual(['SECRET_KEY']);
  await people.all();
  await service.kill();
  const next = await rehearsal.spawnAgain();
  await next.ready();
  await expectOnePersonEach(rehearsal, people.done);

  const verify = (settings: Record<string, string>) =>
    miftah(rehearsal, ['audit', '--verify'], settings);
  expect(await verify(files.settings)).toMatchObject({ code: 0 });
  // Each of them has written rows.
  expect((await verify({ SECRET_KEY: NEW })).code).not.toBe(0);
  expect((await verify({ SECRET_KEY: OLD })).code).not.toBe(0);
  const said = service.stdout() + service.stderr() + next.stdout();
  expect(said).not.toMatch(new RegExp(`${OLD}|${NEW}|${SPARE}`));
});

/** As by SIGHUP, of a service in the process of the test. */
async function readAgain(service: ListeningService, message = READ_ANEW) {
  const before = linesOf(service.log(), message).length;
  await service.reload();
  return linesOf(service.log(), message)[before];
}

it('of two instances none writes with a key that the other does not know, and nobody is lost', async () => {
  const [files, others] = [new KeyFiles(), new KeyFiles()];
  for (const one of [files, others]) one.write(OLD, SPARE);
  const DATABASE_URL = await emptyDatabase();
  await using rehearsal = await openRehearsal({
    settings: { ...files.settings, DATABASE_URL, ...BEHIND_PROXY },
  });
  const { service } = rehearsal;
  const { DATA_DIR: _, ...shared } = service.settings;
  const second = await openListening({ settings: { ...shared, ...others.settings } });
  const people = signingIn([service.origin, second.origin]);
  await people.all();
  // Nobody knows it yet; then this instance alone.
  files.write(NEW, SPARE, OLD);
  expect((await readAgain(service, STAYS))?.reason).toContain('has never read');
  files.write(OLD, SPARE, NEW);
  expect((await readAgain(service))?.settings).toEqual(['RETIRED_SECRET_KEYS']);
  files.write(NEW, SPARE, OLD);
  const early = await people.beside(readAgain(service, STAYS));
  expect(early?.reason).toContain('first give it to every instance in RETIRED_SECRET_KEYS');
  others.write(OLD, SPARE, NEW);
  expect((await readAgain(second))?.settings).toEqual(['RETIRED_SECRET_KEYS']);
  expect((await people.beside(readAgain(service)))?.settings).toContain('SECRET_KEY');
  others.write(NEW, SPARE, OLD);
  expect((await people.beside(readAgain(second)))?.settings).toContain('SECRET_KEY');
  await Promise.all([service.stop(), second.stop()]);
  await rehearsal.openAgain();
  await expectOnePersonEach(rehearsal, people.done);
  const settings = { ...files.settings, DATABASE_URL };
  expect(await miftah(rehearsal, ['audit', '--verify'], settings)).toMatchObject({ code: 0 });
});

describe('miftah keys rotate beside a file', () => {
  it('does nothing while the service writes with another key, over a signal, a kill and a start', async () => {
    const [files, next] = [new KeyFiles(), new KeyFiles()];
    files.write(OLD, SPARE);
    await using rehearsal = await rehearse({ settings: { ...files.settings, ...BEHIND_PROXY } });
    const { service } = rehearsal;
    const token = await logIn(new LiveClient({ service }, BANK_KEY), 'amal');
    next.write(NEW, SPARE, OLD);
    const rotate = (keys = next) => miftah(rehearsal, ['keys', 'rotate'], keys.settings);
    const expectRefused = async (keys = next) => {
      expect(await rotate(keys)).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining(
          `Not every instance writes with this SECRET_KEY yet: the service on ${service.dataDir}.`,
        ) as unknown,
      });
    };
    await expectRefused();
    const signing = ['keys', 'rotate', '--openid', '--yes'];
    expect((await miftah(rehearsal, signing, next.settings)).err).toContain('Not every instance');
    expect((await miftah(rehearsal, ['doctor'], next.settings)).out).toMatch(
      /^warning +store\.key .*Instances write with another key/m,
    );
    // It knows the next key, and does not write with it.
    files.write(OLD, SPARE, NEW);
    await hangUp(service);
    await expectRefused();
    files.write(NEW, SPARE, OLD);
    await hangUp(service);
    await expectOnePersonEach(rehearsal, [{ name: 'amal', token }]);
    expect((await rotate()).out).toContain('Sealed 0 people anew.');
    files.write(SPARE, NEW, OLD);
    await expectRefused(files);
    await service.kill();
    // Nobody writes there now.
    expect((await rotate(files)).out).toContain('Sealed 6 people anew.');
    const again = await rehearsal.spawnAgain();
    await again.ready();
    await expectRefused();
    await expectOnePersonEach(rehearsal, [{ name: 'amal', token }]);
  });

  it('does nothing beside a service that does not say what it writes with', async () => {
    const settings = { SECRET_KEY: OLD };
    await using rehearsal = await openRehearsal({ settings });
    const { dataDir } = rehearsal.service;
    rmSync(join(dataDir, 'service-keys.json'));
    expect((await miftah(rehearsal, ['keys', 'rotate'], settings)).err).toContain(
      `the service on ${dataDir}, which does not say with which it writes`,
    );
  });

  it('names two users of one person, whom it leaves as they are', async () => {
    const files = new KeyFiles();
    files.write(OLD, SPARE);
    await using rehearsal = await openRehearsal({
      settings: { ...files.settings, ...BEHIND_PROXY },
    });
    const { service } = rehearsal;
    await logIn(new LiveClient({ service }, BANK_KEY), 'amal');
    await logIn(new LiveClient({ service }, BANK_KEY), 'faisal');
    await service.stop();
    files.write(NEW, SPARE, OLD);
    const rotate = () => miftah(rehearsal, ['keys', 'rotate'], files.settings);
    using database = new DatabaseSync(join(service.dataDir, 'miftah.db'));
    const users = database.prepare('SELECT * FROM users ORDER BY id').all();
    const places = Object.keys(users[0] ?? {}).map(() => '?');
    const again = database.prepare(`INSERT INTO users VALUES (${places.join(', ')})`);
    expect((await rotate()).out).toContain('Sealed 2 people anew.');
    // As a service makes one that lacks the key of the other.
    again.run(...Object.values({ ...users[0], id: 7 }));
    const said = await rotate();
    expect(said).toMatchObject({ code: 1, out: 'Sealed 0 people anew.\n' });
    expect(said.err).toContain('Two users each are one person: 7 and 1. The first of each stays');
    expect(said.err).toContain('`miftah user erase 7`');
    expect(said.err).not.toMatch(/\d{10}/);
    const erase = ['user', 'erase', '7', '--yes', '--no-compact'];
    expect(await miftah(rehearsal, erase, files.settings)).toMatchObject({ code: 0 });
    expect((await rotate()).out).toContain('Nobody is under an earlier key any more.');
  });
});

type Fault = readonly [title: string, write: (files: KeyFiles) => void, said: string];

const FAULTS: readonly Fault[] = [
  ['without the old one', (files) => files.write(NEW, SPARE), 'has to stay in it'],
  ['that is none', (files) => replaceFile(files.current, 'cd'), 'must be 64 hex digits'],
  ['that is retired, too', (files) => files.write(OLD, OLD), 'have a key twice'],
  ['whose file is empty', (files) => replaceFile(files.retired, ''), 'is empty'],
];

describe('a key of the service', () => {
  it.each(FAULTS)('%s leaves everything as it was', async (_title, write, said) => {
    const files = new KeyFiles();
    files.write(OLD, SPARE);
    const scene = await openLive({ settings: files.settings });
    write(files);
    await scene.reload();
    expect(linesOf(scene.log(), STAYS).map(({ reason }) => reason)).toEqual([
      expect.stringContaining(said),
    ]);
    expect(linesOf(scene.log(), READ_ANEW)).toEqual([]);
  });

  it('that has the secret of another setting leaves everything as it was', async () => {
    const files = new KeyFiles();
    files.write(OLD, SPARE);
    const settings = { ...files.settings, PROVIDER_APP_KEY: NEW };
    const scene = await openLive({ settings });
    files.write(OLD, SPARE, NEW);
    await scene.reload();
    expect(scene.log()).toContain(
      'SECRET_KEY or RETIRED_SECRET_KEYS has the secret of another setting',
    );
    expect(linesOf(scene.log(), READ_ANEW)).toEqual([]);
  });

  it('that is taken out stays known until the next start, and the log says so', async () => {
    const files = new KeyFiles();
    files.write(OLD, SPARE, NEW);
    const scene = await openLive({ settings: files.settings });
    const said = 'lacks a key that this process goes on to know';
    await scene.reload();
    expect(scene.log()).not.toContain(said);
    files.write(OLD, SPARE);
    await scene.reload();
    expect(scene.log()).toContain(`RETIRED_SECRET_KEYS_FILE ${files.retired} ${said}`);
    files.write(NEW, SPARE, OLD);
    await scene.reload();
    expect(linesOf(scene.log(), READ_ANEW).at(-1)?.settings).toContain('SECRET_KEY');
  });
});

it('cookies of a sign-in by OpenID are signed with the key of the moment, as other instances do', async () => {
  const files = new KeyFiles();
  files.write(OLD, NEW);
  const scene = await openStrictOpenid(
    onTestFinished,
    Object.values(OPENID_CLIENTS),
    files.settings,
  );
  /** Which key has signed the cookie of a sign-in that begins now. */
  const signer = async () => {
    const { url } = await ask(scene, { id: 'portal' });
    const answer = await fetch(url, { redirect: 'manual' });
    const cookies = new Map(
      answer.headers.getSetCookie().map((text) => {
        const [name = '', value = ''] = (text.split(';')[0] ?? '').split('=');
        return [name, value] as const;
      }),
    );
    const signature = cookies.get('miftah_interaction.sig');
    return [OLD, NEW].find((key) => {
      const signed = `miftah_interaction=${cookies.get('miftah_interaction')}`;
      return keyedDigestText(Buffer.from(key, 'hex'), 'openid cookie', signed) === signature;
    });
  };
  expect(await signer()).toBe(OLD);
  files.write(NEW, OLD);
  await scene.service.reload();
  expect(await signer()).toBe(NEW);
});
