import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { partsOf, searchForLeaks } from './leaks.ts';
import { LIVE_FILE } from './run-folder.ts';

const TOKEN = 'q8Zr0vLw3-KfT_y5Xh2NbJm7PcGs4DaEuVoQi1tWkSzRxYlBnMj6FgHp9eCdUvTa';
const CODE = 'Zk3vT0mYx-5s_9QdL2cHbN7wRfUe8aJpGoViKxEtMlA';
const NATIONAL_ID = '2900417733';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'miftah-leaks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'canaries'));
  mkdirSync(join(folder, 'services', 'one', 'data'), { recursive: true });
  const canaries = { 'attempt token': TOKEN, 'completion code': CODE, 'national id': NATIONAL_ID };
  const lines = Object.entries(canaries).map(([kind, text]) => `${kind}\t${text}\n`);
  writeFileSync(join(folder, 'canaries', '1.txt'), lines.join(''));
});

function leaksOfLog(...lines: string[]): readonly string[] {
  writeFileSync(join(folder, 'services', 'one', 'stdout.log'), lines.join('\n'));
  return searchForLeaks(folder).leaks;
}

it.each([
  ['as it is', TOKEN],
  ['inside a longer word', `x${TOKEN}x`],
  ['in an address', `/status/a?token=${TOKEN}`],
  ['cut off', TOKEN.slice(0, 31)],
  ['without its beginning', TOKEN.slice(21)],
])('finds a token %s', (_, text) => {
  expect(leaksOfLog('{}', `{"msg":"${text}"}`)).toEqual([
    'services/one/stdout.log:2: attempt token',
  ]);
});

it('finds a national id, and not its digits in a time or an id', () => {
  expect(leaksOfLog(`{"msg":"${NATIONAL_ID}"}`)).toHaveLength(1);
  expect(leaksOfLog(`{"msg":"of ${NATIONAL_ID}."}`)).toHaveLength(1);
  expect(leaksOfLog(`{"time":1${NATIONAL_ID}23,"id":"0199-a${NATIONAL_ID}f"}`)).toEqual([]);
  expect(leaksOfLog(`{"responseTime":0.${NATIONAL_ID}},{"size":${NATIONAL_ID}.5}`)).toEqual([]);
});

it('finds a completion code between the bytes of a database, where a national id may stand', () => {
  const bytes = Buffer.concat([Buffer.from([0, 255, 1]), Buffer.from(CODE), Buffer.from([200])]);
  writeFileSync(join(folder, 'services', 'one', 'data', 'miftah.db'), `row ${NATIONAL_ID} row`);
  writeFileSync(join(folder, 'services', 'one', 'data', 'miftah.db-wal'), bytes);
  expect(searchForLeaks(folder).leaks).toEqual([
    'services/one/data/miftah.db-wal: completion code',
  ]);
});

it('takes the published client key for no leak, though a test sent one that differs by a letter', () => {
  const sent = ['mfk_test_simulatoR', 'mfk_secret_0123456789abcdef'];
  const lines = sent.map((key) => `client key\t${key}\n`).join('');
  writeFileSync(join(folder, 'canaries', '2.txt'), lines);
  expect(leaksOfLog('  Key   mfk_test_simulator')).toEqual([]);
  expect(leaksOfLog('  Key   mfk_secret_0123456789')).toHaveLength(1);
});

it('takes a guess of one letter for no secret, and its other pieces for one', () => {
  const [guessed, other] = ['A'.repeat(32), 'Hq3Zt8Lw0Vx5Rm1N'];
  const sent = guessed + other;
  writeFileSync(join(folder, 'canaries', '2.txt'), `completion code\t${sent}\n`);
  expect(leaksOfLog(`mft_${'A'.repeat(49)}`)).toEqual([]);
  expect(leaksOfLog(other)).toHaveLength(1);
});

it('finds a member of the log that is not documented', () => {
  const line = { level: 30, time: 1, pid: 1, hostname: 'a', msg: 'request', person: 'x' };
  expect(leaksOfLog(JSON.stringify(line))).toEqual([
    'services/one/stdout.log:1: member person is not in docs/operations.md',
  ]);
});

it('finds nothing where nothing is', () => {
  expect(leaksOfLog('{"msg":"request","route":"/token/:attempt_id"}')).toEqual([]);
});

const LISTED = BUILT_IN_PEOPLE.fallback;
const SIGNED = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL3Byb3ZpZGVyIn0.c2lnbmF0dXJl';

it.each([
  ['national id', LISTED.nationalId],
  ['person', LISTED.arabicName.full],
  ['person', LISTED.englishName.full],
  ['person', LISTED.email],
  ['id token', SIGNED],
])('finds the %s of somebody who is listed in a log, and not on a terminal: %s', (kind, text) => {
  expect(leaksOfLog(`  * ${text}`, `{"msg":"${text}"}`)).toEqual([
    `services/one/stdout.log:2: ${kind}`,
  ]);
});

it('finds in a database of live mode whoever is in it, and in no other', () => {
  const people = [NATIONAL_ID, LISTED.nationalId, LISTED.arabicName.full, SIGNED].join('');
  writeFileSync(join(folder, 'services', 'one', 'data', 'miftah.db'), `row7${people}row`);
  expect(searchForLeaks(folder).leaks).toEqual([]);
  writeFileSync(join(folder, 'services', 'one', LIVE_FILE), '');
  expect(searchForLeaks(folder).leaks).toEqual([
    'services/one/data/miftah.db: national id',
    'services/one/data/miftah.db: person',
    'services/one/data/miftah.db: id token',
  ]);
});

it('reads a large file in parts, of which one has what lies across the end of another', () => {
  const path = join(folder, 'large');
  const around = 'x'.repeat(9_990);
  writeFileSync(path, around + TOKEN + around);
  const parts = [...partsOf(path, 10_000)];
  expect(parts.map(({ added }) => added)).toEqual([10_000, 10_000, 44]);
  expect(parts.map(({ bytes }) => bytes.includes(TOKEN))).toEqual([false, true, false]);
});
