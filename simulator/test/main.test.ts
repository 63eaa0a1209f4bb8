import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { json } from 'node:stream/consumers';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atLength } from '../../scripts/test-length.ts';
import { COMPILE_CACHE } from '../../scripts/compile-cache.mjs';
import { programFile } from '../../scripts/program-files.ts';
import { AMAL, REQUEST_ID, STRANGER } from './support/engines.ts';
import { formOf } from './support/sign-in.ts';

/** The real program in its own process, with real signals. */

const MAIN = programFile('simulator');
/** The program has printed everything, and listens. */
const END_OF_BANNER = /(?<origin>http:\/\/[\d.:]+)\/simulator\/prompts\/PROMPT_ID\/decision\n/;
/** Above the lines that are copied into a shell. */
const HEADING = /^Ask somebody on the phone.*$/m;

let directory: string;
let running: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'simulator-'));
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running = [];
  rmSync(directory, { recursive: true, force: true });
});

function start(env: Record<string, string>) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, DATA_DIR: join(directory, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const origin = END_OF_BANNER.exec(output)?.groups?.['origin'];
      if (origin !== undefined) resolve(origin);
    });
  }
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, exit, listening, output: () => output };
}

/** A program that has printed its whole banner, or has ended: that one has no origin. */
async function startListening(env: Record<string, string> = {}) {
  const started = start({ PORT: '0', ...env });
  const origin = await Promise.race([started.listening, started.exit.then(() => '')]);
  return { ...started, origin };
}

/**
 * Whether the process catches SIGHUP, the last signal that the program gets a handler for. Node by
 * itself catches other signals, but not this one.
 */
function listensToSignals({ pid = 0 }: ChildProcess): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, caught = '0'] = /^SigCgt:\s+(\w+)$/m.exec(status) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

async function push(origin: string, nationalId: string, service = 'Login'): Promise<Response> {
  return fetch(`${origin}/stg/api/v1/mfa/request?local=en&requestId=${REQUEST_ID}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nationalId, service }),
  });
}

/** The token's claims after the default person approved a sign-in by browser. */
async function claimsOfSignIn(origin: string) {
  const session = await fetch(`${origin}/stg/api/v2/oidc/session?locale=en&requestId=a-session`);
  const { url } = (await session.json()) as { url: string };
  const state = new URL(url).searchParams.get('state') ?? '';
  await submit(`${origin}/authservice/authorize?ui_locales=en`, { state, decision: 'approve' });
  const answer = await post(`${origin}/stg/api/v2/oidc/jwt`, { state });
  return decodeJwt(((await answer.json()) as { token: string }).token);
}

async function post(address: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function submit(action: string, fields: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams(fields);
  return fetch(action, { method: 'POST', body, redirect: 'manual' });
}

const POST_HEAD =
  'POST /stg/api/v2/oidc/jwt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n';
const UNFINISHED = [
  ['half of the headers', POST_HEAD],
  ['half of a body', `${POST_HEAD}Content-Type: application/json\r\n\r\n{"state`],
];
const HALVES = atLength(UNFINISHED, UNFINISHED.slice(1));
const SIGNALS = atLength(['SIGTERM', 'SIGINT', 'SIGHUP'] as const, ['SIGHUP'] as const);

describe('npm run simulator', () => {
  it('says what its lines take from the shell', async () => {
    const keys = { APP_ID: 'an-id', APP_KEY: 'a-key', SIMULATOR_TOKEN: 'a-token-of-the-tests' };
    const guarded = await startListening(keys);
    const said = HEADING.exec(guarded.output())?.[0] ?? '';
    const taken = guarded.output().matchAll(/\$([A-Z_]+)/g);
    for (const [, name = ''] of taken) expect(said).toContain(name);
    expect(said).toContain('APP_ID, APP_KEY, SIMULATOR_TOKEN');
    for (const secret of Object.values(keys)) expect(guarded.output()).not.toContain(secret);
  });

  it('says where it is and how to use it, is alive and ready, and ends with 0 on SIGTERM', async () => {
    const { child, exit, output, origin } = await startListening();
    expect(output()).toContain(`${origin}/stg`);
    expect(output()).toContain(AMAL);
    expect(output()).toMatch(/curl /);
    // Its lines take nothing from the shell, so it says nothing of that.
    expect(HEADING.exec(output())?.[0]).toBe('Ask somebody on the phone:');
    for (const path of ['/livez', '/readyz']) {
      expect((await fetch(origin + path)).status).toBe(200);
    }
    expect((await push(origin, AMAL)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it.each(SIGNALS)(
    'ends with 0 on %s while it loads, before it has said anything',
    async (signal) => {
      const { child, exit, output } = start({ PORT: '0' });
      await expect.poll(() => listensToSignals(child), { interval: 1 }).toBe(true);
      child.kill(signal);
      expect(await exit).toBe(0);
      expect(output()).toBe('');
    },
  );

  it('shares its folder with no other simulator, and is not kept out by one that was killed', async () => {
    const first = await startListening();
    const second = await startListening();
    expect(second.output()).toContain(
      `another simulator runs on ${join(directory, 'data')}: stop it`,
    );
    expect(await second.exit).toBe(1);
    first.child.kill('SIGKILL');
    await first.exit;
    const third = await startListening();
    expect(third.output()).toContain(`${third.origin}/stg`);
  });

  it.each(HALVES)('ends with 0 on SIGTERM, although a client sent only %s', async (_, sent) => {
    const { child, exit, origin } = await startListening();
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(sent);
    // When this is answered, the simulator has read what was sent before it.
    expect((await fetch(`${origin}/livez`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    socket.destroy();
  });

  it('ends with 0 on SIGTERM, although a client follows the events and reads nothing', async () => {
    const { child, exit, origin } = await startListening();
    const answer = await fetch(`${origin}/simulator/events`);
    expect(answer.status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    await answer.body?.cancel().catch(() => undefined);
  });

  it('takes its choices from the settings, and shows them', async () => {
    const chosen = { PROFILE: 'web-short-names', PUSH_STATUS: '201', SERVICES: 'Pay:thin,Close' };
    const { origin, output } = await startListening({ ...chosen, APPKEY: 'x' });
    expect(output()).toContain('"APPKEY in the environment is no setting: did you mean APP_KEY?"');
    expect(output()).toMatch(
      /^ {2}Profile +web-short-names: web: the names are name_ar and name_en$/m,
    );
    expect(output()).toMatch(/^ {2}Accepted push +201$/m);
    expect(output()).toMatch(/^ {2}Services +Pay \(thin tokens\), Close$/m);
    expect(output()).toContain('"service":"Pay"');
    expect((await push(origin, AMAL)).status).toBe(422);
    expect((await push(origin, AMAL, 'Close')).status).toBe(201);
    expect(await claimsOfSignIn(origin)).toMatchObject({
      nin: AMAL,
      name_en: 'Amal Salem Nasser Alnamuthaji',
    });
  });

  it('goes on where a killed one was: with its references, and with its key, which is for nobody else', async () => {
    const references: number[] = [];
    const keys: string[] = [];
    for (let life = 0; life < 2; life += 1) {
      const { child, exit, origin } = await startListening();
      const answer = (await (await push(origin, STRANGER)).json()) as { reference: number };
      references.push(answer.reference);
      keys.push(await (await fetch(`${origin}/stg/api/v1/mfa/jwk`)).text());
      child.kill('SIGKILL');
      await exit;
    }
    expect(references[1]).toBeGreaterThan(references[0] ?? Number.POSITIVE_INFINITY);
    expect(keys[0]).toContain('"alg":"RS256"');
    expect(keys[1]).toBe(keys[0]);
    expect(statSync(join(directory, 'data', 'keys.json')).mode & 0o777).toBe(0o600);
  });

  it('lists every fault of its settings at once and ends with 1', async () => {
    const { exit, output } = start({ PORT: 'x', HOST: '0.0.0.0', NODE_ENV: 'production' });
    expect(await exit).toBe(1);
    expect(output()).toMatch(/PORT x/);
    expect(output()).toMatch(/SIMULATOR_TOKEN/);
    expect(output()).toMatch(/ALLOW_SIMULATOR/);
  });

  it('says what is wrong with a people file, without a stack', async () => {
    const file = join(directory, 'people.json');
    writeFileSync(file, '{"people": [{"id": "x"}]}');
    const { exit, output } = start({ PEOPLE_FILE: file });
    expect(await exit).toBe(1);
    expect(output()).toContain('/people/0');
    expect(output()).not.toContain('    at ');
  });

  it('names the setting of what the system refuses, and what to do', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const file = join(directory, 'no-folder');
    writeFileSync(file, '');
    const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{ PORT: String(port) }, /:\d+ is taken by another program\. Stop it, or set PORT/],
      // Node's `mkdir` with `recursive` never returns for this folder.
      [{ DATA_DIR: '/proc/no-such-process/data' }, /can't be made: .*\. Set DATA_DIR to a folder/],
      [{ DATA_DIR: join(file, 'data') }, /no-folder is no folder\. Set DATA_DIR to a folder/],
      [{ PEOPLE_FILE: join(directory, 'none') }, /PEOPLE_FILE .*none can't be read: ENOENT/],
      [
        { PEOPLE_FILE: '/dev/zero' },
        /PEOPLE_FILE \/dev\/zero can't be read: it is no regular file/,
      ],
    ];
    await Promise.all(
      refused.map(async ([env, says]) => {
        const { exit, output } = start({ DATA_DIR: mkdtempSync(join(directory, 'data-')), ...env });
        expect(await exit).toBe(1);
        expect(output()).toMatch(says);
      }),
    );
    server.close();
  });
});

describe('a sign-in by a script, against the program', () => {
  const AUDIENCE = 'https://relying-party.example.test';

  it('by browser goes from the session to a token', async () => {
    const { origin } = await startListening();
    const wanted = `locale=en&requestId=${REQUEST_ID}`;
    const session = await fetch(`${origin}/stg/api/v2/oidc/session?${wanted}`);
    const { url } = (await session.json()) as { url: string };
    const state = new URL(url).searchParams.get('state') ?? '';
    expect((await fetch(url)).status).toBe(200);
    const authorize = `${origin}/authservice/authorize?ui_locales=en`;
    const page = await submit(authorize, { state, decision: 'approve', person: 'faisal' });
    const { action, fields } = formOf(await page.text());
    const back = await submit(action, fields);
    expect(back.status).toBe(200);
    const location = new URL((back.headers.get('refresh') ?? '').replace(/^0;url=/, ''));
    expect(location.searchParams.get('state')).toBe(state);

    const answer = await post(`${origin}/stg/api/v2/oidc/jwt`, { state });
    const { token } = (await answer.json()) as { token: string };
    const keys = createRemoteJWKSet(new URL(`${origin}/stg/api/v1/mfa/jwk`));
    const { payload } = await jwtVerify(token, keys, { issuer: origin, audience: AUDIENCE });
    expect(payload['nin']).toBe('1000002201');
    const valid = await post(`${origin}/stg/api/v2/oidc/jwt/valid`, { id_token: token });
    expect(await valid.text()).toBe('true');
  });

  it('by phone goes from the request to a signed result', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<unknown>();
    const party = createHttpServer((request, response) => {
      void json(request).then(resolve);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(party, 'listening');
    const { port } = party.address() as AddressInfo;
    const { origin } = await startListening({
      RELYING_PARTY_PUSH_URL: `http://127.0.0.1:${port}/result`,
    });
    const { transId } = (await (await push(origin, AMAL)).json()) as { transId: string };
    const listed = await fetch(`${origin}/simulator/prompts?request_id=${REQUEST_ID}`);
    const { data } = (await listed.json()) as { data: Array<{ id: string }> };
    await post(`${origin}/simulator/prompts/${data[0]?.id}/decision`, { decision: 'approve' });
    const { token, ...rest } = (await arrived) as { token: string };
    expect(rest).toEqual({ transId, requestId: REQUEST_ID });
    const keys = createRemoteJWKSet(new URL(`${origin}/stg/api/v1/mfa/jwk`));
    const { payload } = await jwtVerify(token, keys, { issuer: origin, audience: AUDIENCE });
    expect(payload).toMatchObject({
      status: 'COMPLETED',
      transId,
      nin: AMAL,
      ServiceName: 'Login',
      jti: REQUEST_ID,
    });
    party.close();
  });
});
