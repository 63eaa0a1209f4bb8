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
import { join, relative } from 'node:path';
import process from 'node:process';
import { parseEnv } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LIVE_ANSWERS } from '../../../test/support/set-up/answers.ts';
import { placeOf, setUp, write } from './set-up.ts';

let made = 0;
const random = {
  bytes: (length: number) => new Uint8Array(length).fill((made += 1)),
  digits: (length: number) => '7'.repeat(length),
};

function emptyPlace() {
  const dir = join(mkdtempSync(join(tmpdir(), 'miftah-set-up-')), 'settings');
  onTestFinished(() => rmSync(join(dir, '..'), { recursive: true, force: true }));
  mkdirSync(dir);
  return { dir, isRehearsal: false };
}

type Place = ReturnType<typeof emptyPlace>;
type Answers = Readonly<Record<string, string>>;

const ANSWERS: Answers = { ...LIVE_ANSWERS, 'client.type': 'confidential' };
const REHEARSED: Answers = { ...ANSWERS, PROVIDER_APP_KEY: '0'.repeat(64) };

const nobody = {
  random,
  ask: async () => null,
  tell: () => undefined,
  deliver: async () => undefined,
  runner: '',
};

/** Writes it with the folders of data in the one of the settings, unless answers name others. */
async function written(
  place: Place,
  answers: Answers,
  meanwhile: () => void = () => undefined,
  runner = '',
): Promise<string> {
  const data = {
    DATA_DIR: join(place.dir, 'data'),
    AUDIT_HEAD_FILE: join(place.dir, 'head', 'audit-head'),
  };
  let said = '';
  const deliver = async (text: string) => {
    said += text;
    meanwhile();
  };
  await write(place, { ...data, ...answers }, { ...nobody, deliver, runner });
  return said;
}

it('what an interrupted set-up has left is named before anything is asked', () => {
  const place = emptyPlace();
  const draft = join(place.dir, '.miftah-init-a1b2c3');
  mkdirSync(draft);
  expect(() => placeOf(place)).toThrow(`${draft} is what an interrupted set-up has`);
});

it('the settings have full paths, from wherever the place was named', async () => {
  const place = emptyPlace();
  const near = relative(process.cwd(), place.dir);
  const places = { DATA_DIR: join(near, 'data'), AUDIT_HEAD_FILE: join(near, 'head') };
  await written({ ...placeOf({ ...place, dir: near }) }, { ...ANSWERS, ...places });
  const settings = readFileSync(join(place.dir, 'miftah.env'), 'utf8');
  expect(settings).toContain(`\nDATA_DIR=${join(place.dir, 'data')}\n`);
  expect(settings).toContain(`\nAUDIT_HEAD_FILE=${join(place.dir, 'head')}\n`);
  expect(settings).toContain(`\nCLIENTS_FILE=${join(place.dir, 'clients.json')}\n`);
});

it('a file that somebody has written while questions were asked stays', async () => {
  const place = emptyPlace();
  placeOf(place);
  const settings = join(place.dir, 'miftah.env');
  writeFileSync(settings, 'PORT=1\n');
  await expect(written(place, ANSWERS)).rejects.toThrow(`${settings} is there already`);
  expect(readFileSync(settings, 'utf8')).toBe('PORT=1\n');
  expect(existsSync(join(place.dir, 'secrets'))).toBe(false);
});

it('signals wait while it writes, and no longer', async () => {
  const place = emptyPlace();
  const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'];
  const listening = () => signals.map((signal) => process.listenerCount(signal));
  const before = listening();
  const on = vi.spyOn(process, 'on');
  // The key is printed this once: files without it are of no use.
  const meanwhile: number[][] = [];
  await written(place, ANSWERS, () => meanwhile.push(listening()));
  expect(meanwhile).toEqual([before.map((count) => count + 1)]);
  expect(on.mock.calls.map(([signal]) => String(signal)).toSorted()).toEqual(signals);
  expect(listening()).toEqual(before);
});

it('a rehearsal is refused before anything is asked where there is no simulator', () => {
  const place = { ...emptyPlace(), isRehearsal: true };
  expect(() => placeOf(place, false)).toThrow(
    /^Nothing was written:\n {2}- --rehearse needs the simulator, which is not installed here/,
  );
  expect(placeOf(place, true)).toEqual(place);
  expect(placeOf({ ...place, isRehearsal: false }, false)).toEqual({
    ...place,
    isRehearsal: false,
  });
});

it('names the page that goes on from there, and the folder that it is about', async () => {
  const place = emptyPlace();
  const live = await written(place, ANSWERS);
  expect(live).toContain(`Keep a copy of ${join(place.dir, 'secrets', 'secret-key')} away`);
  expect(live.match(/are lost\./g)).toHaveLength(1);
  expect(live).toMatch(/\nNext: the rest of step 4 of docs\/going-live\.md; .*containers\.md\.\n$/);
  const rehearsal = await written({ ...emptyPlace(), isRehearsal: true }, REHEARSED);
  expect(rehearsal).toMatch(/\nNext: step 3 of docs\/going-live\.md; /);
});

it.each(['', 'npx '])('prints the lines that start a rehearsal, with %j', async (runner) => {
  const outer = emptyPlace();
  const dir = join(outer.dir, 'a folder');
  mkdirSync(dir);
  const said = await written({ dir, isRehearsal: true }, REHEARSED, undefined, runner);
  expect(said).toContain(
    `\n  (set -a; . '${join(dir, 'simulator.env')}'; exec ${runner}miftah-simulator)\n` +
      `  ${runner}miftah start --config '${join(dir, 'miftah.env')}'\n`,
  );
  expect(said).toContain(`\`${runner}miftah client key\` makes`);
});

it('prints no line that starts anything for live mode', async () => {
  expect(await written(emptyPlace(), ANSWERS)).not.toContain('miftah start');
});

it('a shell reads the settings of the simulator as they are, and runs nothing', async () => {
  const outer = emptyPlace();
  const dir = join(outer.dir, 'a&b (c) $HOME');
  mkdirSync(dir);
  const place = { dir, isRehearsal: true };
  const PROVIDER_ISSUER = 'https://x.test/$(touch${IFS}here)&`id`';
  const flows = { PROVIDER_WEB_PATH_PREFIX: '/web', PROVIDER_WEB_ISSUER: 'iam' };
  await written(place, { ...REHEARSED, ...flows, PROVIDER_ISSUER });
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
    written(odd, { ...REHEARSED, PROVIDER_ISSUER: "https://x.test/it's" }),
  ).rejects.toThrow("it's has a character that ISSUER of the simulator can't have");
});

it.each([
  [{ PORT: '4000' }, 'PORT is 4000, where the simulator'],
  [{ METRICS_PORT: '04100', PROVIDER_URL: 'http://127.0.0.1:4100' }, 'METRICS_PORT is 4100, where'],
  [{ PORT: '80', PROVIDER_URL: 'http://127.0.0.1' }, 'PORT is 80, where the simulator'],
])('a rehearsal with %j is refused: its simulator has that port', async (ports, said) => {
  const place = { ...emptyPlace(), isRehearsal: true };
  const own = { ...REHEARSED, PROVIDER_URL: 'http://127.0.0.1:4000' };
  await expect(written(place, { ...own, ...ports })).rejects.toThrow(said);
  expect(readdirSync(place.dir)).toEqual([]);
  await expect(written(place, { ...own, PORT: '4001' })).resolves.toBeDefined();
});

it.each([
  ['http://localhost:7650', '7650'],
  ['http://127.0.0.1:7650', '7650'],
  ['http://[::1]:7650', '7650'],
  ['http://localhost', undefined],
  ['https://localhost:7650', undefined],
  ['https://rehearsal.example.test:7650', undefined],
])('a rehearsal at %s listens on port %s', async (url, port) => {
  const place = { ...emptyPlace(), isRehearsal: true };
  const request = { ...place, mayAsk: true, flags: { PUBLIC_URL: url } };
  await setUp(request, nobody);
  const settings = parseEnv(readFileSync(join(place.dir, 'miftah.env'), 'utf8'));
  // A proxy with TLS before it has the other ports.
  expect([settings['PORT'], settings['PUBLIC_URL']]).toEqual([port, url]);
});

it('a port that a flag names is not changed by the address', async () => {
  const place = { ...emptyPlace(), isRehearsal: true };
  const flags = { PUBLIC_URL: 'http://localhost:7650', PORT: '7651' };
  await setUp({ ...place, mayAsk: true, flags }, nobody);
  expect(readFileSync(join(place.dir, 'miftah.env'), 'utf8')).toContain('\nPORT=7651\n');
});

it.each(['', ' '])('an empty folder (%j) is refused, and is not the one of the caller', (dir) => {
  expect(() => placeOf({ dir, isRehearsal: false })).toThrow('--dir is empty: name a folder');
});

it('a link that leads nowhere is in the way, as a file is', () => {
  const place = emptyPlace();
  symlinkSync('/nowhere/miftah.env', join(place.dir, 'miftah.env'));
  expect(() => placeOf(place)).toThrow('miftah.env is there already');
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
  const answers = { ...ANSWERS, [name]: join(place.dir, path) };
  await expect(written(place, answers)).rejects.toThrow(/is for something else/);
  expect(readdirSync(place.dir)).toEqual([]);
});
