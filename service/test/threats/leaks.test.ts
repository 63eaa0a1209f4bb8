import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceProcess } from '../support/programs/service-process.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { BANK_KEY, rehearseApart, type Rehearsal } from '../support/live/rehearsal.ts';
import { recordCanaries } from '../support/canaries/run-folder.ts';
import { BEHIND_PROXY, eachOf, somebody, times } from '../support/attacks/crowd.ts';
import { DatabaseCopy } from '../support/attacks/database-copy.ts';
import { answerPush } from '../support/live/live-login.ts';

const APP_KEY = `provider-key-${randomBytes(24).toString('base64url')}`;
const PEOPLE = BUILT_IN_PEOPLE.all;
/** Each person signs in three times by browser, and once by phone. */
const BROWSER_ROUNDS = 3;
/** The number in the OpenAPI document: the first person's, and nobody else's. */
const EXAMPLE = '1000001101';
/** Signed tokens, anywhere in a text. */
const SIGNED = /eyJ[\w-]{8,}\.eyJ[\w-]{8,}/;

let rehearsal: Rehearsal<ServiceProcess>;
let bank: LiveClient;
/** Every secret of the logins with its name, and the people's identity values. */
const secrets: [string, string][] = [];
const tokens: string[] = [];

beforeAll(async () => {
  recordCanaries('provider key', [APP_KEY]);
  rehearsal = await rehearseApart({
    settings: { ...BEHIND_PROXY, PROVIDER_APP_KEY: APP_KEY },
    simulatorSettings: { APP_KEY },
  });
  bank = new LiveClient(rehearsal, BANK_KEY);
  secrets.push(['client key', BANK_KEY], ['provider key', APP_KEY]);
  for (const { nationalId, arabicName, englishName, email } of PEOPLE) {
    const names = [arabicName.full, englishName.full, email];
    secrets.push(['national id', nationalId], ...names.map(named('name')));
  }
  const crowd = times(BROWSER_ROUNDS).flatMap(() => PEOPLE);
  tokens.push(...(await eachOf(crowd, ({ id }) => signInByBrowser(id), 6)));
  await eachOf(PEOPLE, ({ nationalId }, index) => signInByPhone(nationalId, index), 4);
});
afterAll(async () => rehearsal[Symbol.asyncDispose]());

const named =
  (name: string) =>
  (text: string): [string, string] => [name, text];

async function signInByBrowser(person: string): Promise<string> {
  const started = await bank.startRedirect();
  const browser = new PersonBrowser();
  const page = await browser.launch(started.authorization_url);
  const back = await browser.returnFrom(page, person);
  const visit = await browser.open(back);
  const code = visit.location?.searchParams.get('completion_code') ?? '';
  const issued = await bank.redeem(
    started,
    { completion_code: code, device_name: 'A laptop' },
    { ...somebody(), 'idempotency-key': randomBytes(24).toString('base64url') },
  );
  const state = back.searchParams.get('state') ?? '';
  secrets.push(
    ['attempt token', started.attempt_token],
    ['provider state', state],
    // The value as it is encoded in an address.
    ['provider state', encodeURIComponent(state)],
    ['completion code', code],
    ['API token', String(issued.data['token'])],
    ...[...browser.cookies.values()].map(named('cookie')),
  );
  return String(issued.data['token']);
}

/** Depending on the index the person approves, refuses or does not answer. */
async function signInByPhone(nationalId: string, index: number): Promise<void> {
  const started = await bank.startPhone(nationalId);
  secrets.push(['attempt token', started.attempt_token]);
  if (index % 3 === 2) return;
  await answerPush(rehearsal, bank, started, index % 3 === 0 ? 'approve' : 'refuse');
  if (index % 3 === 1) return;
  const issued = await bank.redeem(started, {}, somebody());
  secrets.push(['API token', String(issued.data['token'])]);
}

/** The names of the secrets that a text contains. */
function secretsIn(text: string): Set<string> {
  const found = secrets.filter(([, secret]) => text.includes(secret)).map(([kind]) => kind);
  return new Set(SIGNED.test(text) ? [...found, 'id token'] : found);
}

/** The log without the banner that is printed at the start. */
function logOf(service: ServiceProcess): string {
  const lines = `${service.stdout()}\n${service.stderr()}`.split('\n');
  return lines.filter((line) => line.startsWith('{')).join('\n');
}

describe('threat 43: secrets and people in what a service says', () => {
  it('the logins were what they should be, so that there was something to say', () => {
    const kinds = new Set(secrets.map(([kind]) => kind));
    expect(kinds.size).toBe(9);
    expect(secrets.filter(([, secret]) => secret.length < 6)).toEqual([]);
    expect(tokens.every((token) => token.startsWith('mft_test_'))).toBe(true);
  });

  it('are in no line of the logs at trace level, neither here nor at the provider', () => {
    for (const service of [rehearsal.service, rehearsal.simulator]) {
      expect(secretsIn(logOf(service))).toEqual(new Set());
      expect(service.stderr()).toBe('');
    }
    expect(logOf(rehearsal.service).split('\n').length).toBeGreaterThan(tokens.length * 3);
  });

  it('are not in what a service tells of itself', async () => {
    for (const path of ['/metrics', '/openapi.json', '/readyz', '/errors']) {
      const answer = await fetch(`${rehearsal.origins.service}${path}`);
      const text = await answer.text();
      // The document has it as an example, whether somebody has signed in or not.
      const told = path === '/openapi.json' ? text.replaceAll(EXAMPLE, '') : text;
      expect(secretsIn(told)).toEqual(new Set());
    }
  });
});

/** The content of every file, as somebody who steals the disk gets it. */
function filesOf({ dataDir }: ServiceProcess): string {
  const files = globSync('**/*', { cwd: dataDir, withFileTypes: true });
  const bytes = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name)));
  return Buffer.concat(bytes).toString();
}

describe('threat 50: the database is stolen', () => {
  it('holds no secret in a form that opens anything, and names nobody', () => {
    expect(secretsIn(filesOf(rehearsal.service))).toEqual(new Set());
    using database = new DatabaseCopy(rehearsal.service);
    const dump = database.dump();
    expect(secretsIn(dump)).toEqual(new Set());
    expect(dump).toContain('A laptop');
    const { attempts, users, api_tokens } = database.counts();
    expect([attempts, users]).toEqual([(BROWSER_ROUNDS + 1) * PEOPLE.length, PEOPLE.length]);
    expect(Number(api_tokens)).toBeGreaterThan(tokens.length);
  });

  it('does not open when the sealed values of two people change places', async () => {
    const swapped = ['national_id', 'arabic_name', 'english_name', 'document_number'];
    const known = await eachOf(tokens.slice(0, PEOPLE.length), userOf);
    expect(known.map(({ status }) => status)).toEqual(PEOPLE.map(() => 200));
    await rehearsal.service.stop();
    const database = new DatabaseSync(join(rehearsal.service.dataDir, 'miftah.db'));
    for (const [index, column] of swapped.entries()) {
      const ids = [known[2 * index]?.id ?? 0, known[2 * index + 1]?.id ?? 0] as const;
      swap(database, column, ids);
    }
    database.close();
    const again = await rehearsal.spawnAgain();
    await again.ready();

    const reads = await eachOf(tokens.slice(0, PEOPLE.length), userOf);
    const [altered, others] = [reads.slice(0, 2 * swapped.length), reads.slice(2 * swapped.length)];
    for (const { status, text } of altered) {
      expect(status).toBeGreaterThanOrEqual(500);
      expect(secretsIn(text)).toEqual(new Set());
    }
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    expect(secretsIn(logOf(again))).toEqual(new Set());
  });
});

async function userOf(token: string) {
  const answer = await bank.get('/user', { ...somebody(), authorization: `Bearer ${token}` });
  return { status: answer.status, text: answer.text, id: Number(answer.data['id']) };
}

function swap(database: DatabaseSync, column: string, [one, other]: readonly [number, number]) {
  const sql = `UPDATE users SET ${column} = (SELECT ${column} FROM users WHERE id = ?) WHERE id = ?`;
  const read = database.prepare(`SELECT ${column} AS sealed FROM users WHERE id = ?`);
  const kept = String(read.get(one)?.['sealed']);
  database.prepare(sql).run(other, one);
  database.prepare(`UPDATE users SET ${column} = ? WHERE id = ?`).run(kept, other);
}
