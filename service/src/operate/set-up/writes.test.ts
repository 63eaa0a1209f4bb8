import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join, relative } from 'node:path';
import process from 'node:process';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LIVE_ANSWERS } from '../../../test/support/set-up/answers.ts';
import { setUpTools } from './set-up.ts';

const ANSWERS = { ...LIVE_ANSWERS, 'client.type': 'confidential' };

const random = {
  bytes: (length: number) => new Uint8Array(length).fill(7),
  digits: (length: number) => '7'.repeat(length),
};
const tools = setUpTools(random);

function emptyPlace() {
  const dir = join(mkdtempSync(join(tmpdir(), 'miftah-set-up-')), 'settings');
  onTestFinished(() => rmSync(join(dir, '..'), { recursive: true, force: true }));
  mkdirSync(dir);
  return { dir, root: '/', isRehearsal: false, hasUnit: false };
}

it('what an interrupted set-up has left is named before anything is asked', async () => {
  const place = emptyPlace();
  const draft = join(place.dir, '.miftah-init-a1b2c3');
  mkdirSync(draft);
  await expect(tools.begin(place)).rejects.toThrow(`${draft} is what an interrupted set-up has`);
});

it('the settings have full paths, from wherever the place was named', async () => {
  const place = emptyPlace();
  const near = relative(process.cwd(), place.dir);
  const places = { DATA_DIR: join(near, 'data'), AUDIT_HEAD_FILE: join(near, 'head') };
  await tools.write({ ...place, dir: near }, { ...ANSWERS, ...places });
  const settings = readFileSync(join(place.dir, 'miftah.env'), 'utf8');
  expect(settings).toContain(`\nDATA_DIR=${join(place.dir, 'data')}\n`);
  expect(settings).toContain(`\nAUDIT_HEAD_FILE=${join(place.dir, 'head')}\n`);
  expect(settings).toContain(`\nCLIENTS_FILE=${join(place.dir, 'clients.json')}\n`);
});

it('a file that somebody has written while questions were asked stays', async () => {
  const place = emptyPlace();
  const answers = { ...ANSWERS, ...(await tools.begin(place)) };
  const settings = join(place.dir, 'miftah.env');
  writeFileSync(settings, 'PORT=1\n');
  await expect(tools.write(place, answers)).rejects.toThrow(`${settings} is there already`);
  expect(readFileSync(settings, 'utf8')).toBe('PORT=1\n');
  expect(existsSync(join(place.dir, 'secrets'))).toBe(false);
});

it('signals wait while it writes, and no longer', async () => {
  const place = emptyPlace();
  const answers = { ...ANSWERS, ...(await tools.begin(place)) };
  const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'];
  const listening = () => signals.map((signal) => process.listenerCount(signal));
  const before = listening();
  const on = vi.spyOn(process, 'on');
  // The key is printed this once: files without it are of no use.
  const meanwhile: number[][] = [];
  await tools.write(place, answers, async () => void meanwhile.push(listening()));
  expect(meanwhile).toEqual([before.map((count) => count + 1)]);
  expect(on.mock.calls.map(([signal]) => String(signal)).toSorted()).toEqual(signals);
  expect(listening()).toEqual(before);
});

it('a rehearsal is refused before anything is asked where there is no simulator', async () => {
  const place = { ...emptyPlace(), isRehearsal: true };
  const live = setUpTools(random, { hasSimulator: false, image: null });
  const begun = live.begin(place);
  await expect(begun).rejects.toThrow(
    /^Nothing was written:\n {2}- --rehearse needs the simulator, which is not installed here/,
  );
  await expect(tools.begin(place)).resolves.toHaveProperty('PROVIDER_APP_KEY');
  await expect(live.begin({ ...place, isRehearsal: false })).resolves.toBeDefined();
});

it.each([
  ['login.example.test', /^must be an IP address with --systemd/],
  ['localhost', null],
  ['0.0.0.0', null],
  ['::1', null],
])('with the unit HOST=%s is looked at as systemd reads it', async (host, fault) => {
  const place = { ...emptyPlace(), hasUnit: true, dir: '/etc/miftah' };
  const said = await tools.faultOf('HOST', host, place);
  if (fault === null) expect(said).toBeNull();
  else expect(said).toMatch(fault);
  expect(await tools.faultOf('HOST', host, { ...place, hasUnit: false })).toBeNull();
});

it('the commands of a rehearsal name programs that are there, by full paths', async () => {
  const place = { ...emptyPlace(), isRehearsal: true };
  const answers = {
    ...ANSWERS,
    ...(await tools.begin(place)),
    PROVIDER_APP_KEY: '0'.repeat(64),
  };
  const { next, notes } = await tools.write(place, answers);
  const programs = next.map(([line]) => /(?:^|exec )(\S+) (\S+\.mjs)/.exec(line)?.slice(1) ?? []);
  expect(programs.map(([, file = '']) => basename(file))).toEqual([
    'miftah-simulator.mjs',
    'miftah.mjs',
    'miftah.mjs',
  ]);
  expect(programs.flat().filter((path) => !isAbsolute(path) || !existsSync(path))).toEqual([]);
  // Its simulator knows these addresses already.
  expect(notes.join('\n')).not.toContain('The provider has to register');
});

it('a shell reads the settings of the simulator as they are, and runs nothing', async () => {
  const outer = emptyPlace();
  const dir = join(outer.dir, 'a&b (c) $HOME');
  mkdirSync(dir);
  const place = { ...outer, dir, isRehearsal: true };
  const answers = { ...ANSWERS, ...(await tools.begin(place)), PROVIDER_APP_KEY: '0'.repeat(64) };
  const PROVIDER_ISSUER = 'https://x.test/$(touch${IFS}here)&`id`';
  const flows = { PROVIDER_WEB_PATH_PREFIX: '/web', PROVIDER_WEB_ISSUER: 'iam' };
  await tools.write(place, { ...answers, ...flows, PROVIDER_ISSUER });
  const file = join(dir, 'simulator.env');
  const script = 'set -a; . "$0"; printf "%s\\n" "$DATA_DIR" "$ISSUER" "$PROVIDER_PATH_PREFIX"';
  const read = execFileSync('/bin/sh', ['-c', script, file], { cwd: dir, encoding: 'utf8' });
  const [data, issuer, prefix] = read.split('\n');
  expect([data, issuer]).toEqual([join(dir, 'simulator'), PROVIDER_ISSUER]);
  const parsed = parseEnv(readFileSync(file, 'utf8'));
  expect(parsed).toMatchObject({ DATA_DIR: data, ISSUER: issuer, PROVIDER_PATH_PREFIX: prefix });
  expect(parsed).toMatchObject({ WEB_ISSUER: 'iam' });
  expect(prefix).toMatch(/^\/.*,\/web$/);
  expect(existsSync(join(dir, 'here'))).toBe(false);
  const odd = { ...emptyPlace(), isRehearsal: true };
  await expect(
    tools.write(odd, { ...answers, PROVIDER_ISSUER: "https://x.test/it's" }),
  ).rejects.toThrow("it's has a character that ISSUER of the simulator can't have");
});

it.each([
  [{ PORT: '4000' }, 'PORT is 4000, where the simulator'],
  [{ METRICS_PORT: '04100', PROVIDER_URL: 'http://127.0.0.1:4100' }, 'METRICS_PORT is 4100, where'],
  [{ PORT: '80', PROVIDER_URL: 'http://127.0.0.1' }, 'PORT is 80, where the simulator'],
])('a rehearsal with %j is refused: its simulator has that port', async (ports, said) => {
  const place = { ...emptyPlace(), isRehearsal: true };
  const fixed = { ...(await tools.begin(place)), PROVIDER_APP_KEY: '0'.repeat(64) };
  const own = { ...ANSWERS, PROVIDER_URL: 'http://127.0.0.1:4000', ...fixed };
  await expect(tools.write(place, { ...own, ...ports })).rejects.toThrow(said);
  expect(readdirSync(place.dir)).toEqual([]);
  await expect(tools.write(place, { ...own, PORT: '4001' })).resolves.toBeDefined();
});

it.each([
  [{ dir: '' }, '--dir is empty: name a folder'],
  [{ dir: ' ' }, '--dir is empty: name a folder'],
  [{ root: '' }, '--root is empty: name a folder'],
])('%j is refused, and is not the folder of whoever calls the command', async (empty, said) => {
  await expect(tools.begin({ ...emptyPlace(), ...empty })).rejects.toThrow(said);
});

it('a link that leads nowhere is in the way, as a file is', async () => {
  const place = emptyPlace();
  symlinkSync('/nowhere/miftah.env', join(place.dir, 'miftah.env'));
  await expect(tools.begin(place)).rejects.toThrow('miftah.env is there already');
});

it.each([
  ['AUDIT_HEAD_FILE', 'clients.json'],
  ['AUDIT_HEAD_FILE', 'miftah.env'],
  ['AUDIT_HEAD_FILE', '.'],
  ['AUDIT_HEAD_FILE', 'secrets'],
  ['DATA_DIR', 'clients.json'],
  ['DATA_DIR', 'secrets'],
])('%s=%s is refused: the set-up writes there', async (name, path) => {
  const place = emptyPlace();
  const answers = { ...ANSWERS, ...(await tools.begin(place)), [name]: join(place.dir, path) };
  await expect(tools.write(place, answers)).rejects.toThrow(/is for something else/);
  expect(readdirSync(place.dir)).toEqual([]);
});

describe('in the image', () => {
  const image = {
    HOST: '0.0.0.0',
    PORT: '3000',
    METRICS_PORT: '9464',
    DATA_DIR: '/var/lib/miftah',
  };
  const inImage = setUpTools(random, { hasSimulator: true, image });

  it('the settings are those of the image, and the commands are for its engine', async () => {
    const place = emptyPlace();
    const fixed = await inImage.begin(place);
    expect(fixed).toEqual({ ...image, AUDIT_HEAD_FILE: '/var/lib/miftah-head/audit-head' });
    const data = {
      DATA_DIR: join(place.dir, 'data'),
      AUDIT_HEAD_FILE: join(place.dir, 'h', 'head'),
    };
    const answers = { ...ANSWERS, ...fixed, ...data, PORT: '3100', TRUSTED_PROXIES: '10.0.0.7' };
    const { next, notes } = await inImage.write(place, answers);
    const [doctor = '', start = '', ...more] = next.map(([line]) => line);
    expect(more).toEqual([]);
    const settings = join(place.dir, 'miftah.env');
    const options =
      `--env PORT=3100 --env DATA_DIR=${data.DATA_DIR} --volume FOLDER:${place.dir}:ro ` +
      `--volume miftah:${data.DATA_DIR} --volume miftah-head:${join(place.dir, 'h')} miftah`;
    expect(doctor).toBe(`podman run --rm ${options} --config ${settings} doctor`);
    expect(start).toContain(' --publish 127.0.0.1:3100:3100 --env PUBLIC_URL=https://login.');
    expect(start).toMatch(new RegExp(`${options} start --config ${settings}$`));
    expect(notes.join('\n')).toMatch(/TRUSTED_PROXIES is 10\.0\.0\.7 in .*sees the proxy/);
  });

  it('a folder with odd characters stays one word of the commands', async () => {
    const outer = emptyPlace();
    const dir = join(outer.dir, 'a b;c $HOME');
    mkdirSync(dir);
    const place = { ...outer, dir };
    const data = { DATA_DIR: join(dir, 'data'), AUDIT_HEAD_FILE: join(dir, 'head') };
    const answers = { ...ANSWERS, ...(await inImage.begin(place)), ...data };
    const { next } = await inImage.write(place, answers);
    expect(next).toHaveLength(2);
    for (const [line] of next) {
      expect(line).toContain(` --volume 'FOLDER:${dir}:ro' `);
      expect(line).toContain(` --config '${join(dir, 'miftah.env')}'`);
    }
  });

  it('a folder with a colon is refused: it would end the name of a volume', async () => {
    const place = emptyPlace();
    const odd = { ...place, dir: join(place.dir, 'a:b') };
    await expect(inImage.begin(odd)).rejects.toThrow(/a:b has a colon/);
    await expect(tools.begin(odd)).resolves.toBeDefined();
    const answers = { ...ANSWERS, ...(await inImage.begin(place)), DATA_DIR: '/var/lib/a:b' };
    await expect(inImage.write(place, answers)).rejects.toThrow('/var/lib/a:b has a colon');
  });

  it('the simulator gets no value that would need quotes: the engine reads none', async () => {
    const place = { ...emptyPlace(), isRehearsal: true };
    const fixed = { ...(await inImage.begin(place)), PROVIDER_APP_KEY: '0'.repeat(64) };
    const answers = { ...ANSWERS, ...fixed, PROVIDER_ISSUER: 'https://x.test/a&b' };
    await expect(inImage.write(place, answers)).rejects.toThrow(
      "ISSUER of the simulator can't have",
    );
    await expect(tools.write(place, answers)).resolves.toBeDefined();
  });

  it('a set-up is in the folder that is mounted, and has no unit', async () => {
    expect(await inImage.usualDir(true)).toBe('/etc/miftah');
    expect(await tools.usualDir(true)).toBe('rehearsal');
    const place = { ...emptyPlace(), hasUnit: true, dir: '/etc/miftah' };
    await expect(inImage.begin(place)).rejects.toThrow('this is a container');
  });
});
