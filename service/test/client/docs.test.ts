import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { share, type AtEnd } from '../support/at-end.ts';
import { MODES } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { signInByBrowser } from '../support/client/person.ts';
import { failingService } from '../support/programs/failing-service.ts';
import { moduleOf, snippetsOf } from '../support/client/snippets.ts';
import { readDocument } from '../docs/documents.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';

/**
 * The programs of docs/client.md and README.md are run as they stand, with this checkout's client.
 * The one for a page is in service/test/element/docs.test.ts.
 */

const [inReadme = ''] = snippetsOf('README.md', 'js');
const [byPhone = '', backEnd = '', rules = '', events = '', , failure = ''] = snippetsOf(
  'docs/client.md',
  'js',
);

const [glue = ''] = snippetsOf('docs/client.md', 'javascript');

/** What stands before the programs that go on from another one. */
const BEGIN = `
import { createClient } from '@miftah/client';
const { MIFTAH_URL: baseUrl, MIFTAH_KEY: clientKey } = process.env;
const miftah = createClient({ baseUrl, clientKey });
`;
const RELAY = `
const login = miftah.createLogin(new Map());
const request = new Request('http://app.test/events');
console.log((await events(login, 'mine', request)).status);
await login.start('mine', { locale: 'en', nationalId: '1900000001' });
console.log(await (await events(login, 'mine', request)).text());
`;

/** Prints where the browser has to go, and is given where it came back to. */
const BY_BROWSER = `
import { once } from 'node:events';
const cameBackTo = async (address) => {
  console.log(address);
  return String(await once(process.stdin, 'data'));
};
const { outcome, token } = await rules(miftah, new Map(), { cameBackTo });
console.log(outcome, token.user.lastAuthMethod);
`;

describe.each(atLength(MODES, MODES.slice(1)))('docs/client.md in %s', (_, settings) => {
  const service = shareListeningService(settings);
  const environment = () => ({
    PATH: process.env['PATH'],
    MIFTAH_URL: `${service().origin}/api/v1`,
    MIFTAH_KEY: 'mfk_test_simulator',
    APP_SECRET: 'a secret of this test, which is long enough',
  });
  const shared = share((atEnd) => startBackEnd(environment(), backEnd, atEnd));
  const run = (code: string) =>
    promisify(execFile)(process.execPath, [moduleOf(code)], { env: environment() });

  test('signs in by phone', async () => {
    const { stdout } = await run(byPhone);
    expect(stdout).toMatch(/^Choose \d+ on your phone\nWelcome, \w+/);
  });

  test('README.md signs in by phone, and names the package that is made', async () => {
    const { stdout } = await run(inReadme);
    expect(stdout).toMatch(/^Choose \d+ on your phone\nWelcome, \w+/);
    const { version } = JSON.parse(readDocument('client/package.json')) as { version: string };
    expect(readDocument('README.md')).toContain(`dist/miftah-client-${version}.tgz`);
  });

  test('has a back end that signs in', async () => {
    const { ask, port } = shared();
    expect(await (await ask('/')).text()).toContain('action="/sign-in/start"');
    const started = await begin(port);
    const begun = cookieOf(started);
    const authorizationUrl = started.headers.get('location') ?? '';
    const back = await signInByBrowser({ authorizationUrl });
    expect(back.origin).toBe(`http://127.0.0.1:${port}`);
    const returned = back.pathname + back.search;
    const victim = await ask(returned, `miftah-sign-in-${port}=somebody-else`);
    expect(victim.headers.get('location')).toBe('/?sign_in=dropped');
    const finished = await ask(returned, begun);
    const [, session = 'none'] = finished.headers.getSetCookie();
    expect(await (await ask('/', session)).text()).toMatch(/^You are Amal/);
    expect(await (await ask('/', begun)).text()).toContain('Sign in');
  });

  test('has a back end that tells its log and the person why it can not sign anybody in', async () => {
    const away = `http://127.0.0.1:${await findFreePort()}/api/v1`;
    const { ask, port, said } = await startBackEnd({ ...environment(), MIFTAH_URL: away });
    const refused = (await begin(port)).headers.get('location') ?? '';
    expect(refused).toBe('/?sign_in=refused');
    expect(await (await ask(refused)).text()).toContain('You could not be signed in.');
    await until(() => said().includes('client.network'));
    expect(said()).toContain(new URL(away).origin);
    expect(said()).toContain('Check baseUrl');
  });

  test('has a back end that logs which member was wrong, and not its value', async () => {
    const { ask, port, said } = shared();
    for (const number of ['9876543', '1900000021']) {
      const refused = (await begin(port, { national_id: number })).headers.get('location') ?? '';
      expect(refused).toBe('/?sign_in=number');
      expect(await (await ask(refused)).text()).toContain('This national id is not right.');
    }
    await until(() => said().includes('validation.failed'));
    expect(said()).toContain('"pointer":"/national_id"');
    expect(said()).toMatch(/validation\.failed: [A-Z]/); // in English, the language of its forms
    for (const secret of ['9876543', '1900000021', 'mfk_test_simulator']) {
      expect(said()).not.toContain(secret);
    }
    expect(await (await ask('/?sign_in=rejected')).text()).toContain('You have refused.');
    expect(await (await ask('/')).text()).not.toContain('role="alert"');
  });

  test('has a back end that logs what the operator and the provider ask for', async () => {
    const baseUrl = `${await failingService(onTestFinished)}/api/v1`;
    const { port, said } = await startBackEnd({ ...environment(), MIFTAH_URL: baseUrl });
    await begin(port);
    await until(() => said().includes('was refused'));
    const known = '{"requestId":"the-request","retryAfter":17,"reference":4711}';
    expect(said()).toContain(known);
  });

  test('has a back end that logs the origin of a form that is not its own', async () => {
    const { port, said } = shared();
    const own = `http://localhost:${port}`;
    const answer = await begin(port, {}, own);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining(own)]);
    await until(() => said().includes(`A form was refused: ${own}`));
  });

  test('has the rules alone', async () => {
    const program = [moduleOf(BEGIN + rules + BY_BROWSER)];
    const child = spawn(process.execPath, program, { env: environment(), stdio: 'pipe' });
    onTestFinished(() => void child.kill());
    const [said] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const back = await signInByBrowser({ authorizationUrl: said.trim() });
    child.stdin.end(back.href);
    const [result] = (await once(child.stdout, 'data')) as [string];
    expect(result).toBe('authenticated oidc\n');
  });

  test('relays events', async () => {
    const { stdout } = await run(BEGIN + events + RELAY);
    expect(stdout).toMatch(/^204\n/);
    expect(stdout).toContain('"status":"authenticated"');
  });

  test('shows a failure', async () => {
    expect((await run(BEGIN + failure)).stdout).toMatch(/^provider.record_not_found \w+/);
  });
});

const SUPPORT = new URL('../support/client/frameworks.ts', import.meta.url);
/** An application for each framework: what stands before the lines of the sign-in, and after them. */
const APPLICATIONS = {
  Express: [
    `import express from 'express';
    import { signInForExpress } from '@miftah/client/express';
    const app = express();
    const begin = ({ user }, request, response) => response.send('Welcome, ' + user.name);`,
    `app.listen(Number(PORT), '127.0.0.1');`,
  ],
  Fastify: [
    `import fastify from 'fastify';
    import { signInForFastify } from '@miftah/client/fastify';
    const app = fastify();
    const begin = ({ user }, request, reply) => reply.send('Welcome, ' + user.name);`,
    `await app.listen({ port: Number(PORT), host: '127.0.0.1' });`,
  ],
  Web: [
    `import { createServer } from 'node:http';
    import { signInForWeb } from '@miftah/client/web';
    import { serveWeb } from '${SUPPORT.href}';
    const begin = ({ user }) => new Response('Welcome, ' + user.name);`,
    `const handle = async (request) => (await signIn(request)) ?? new Response('home');
    createServer(serveWeb(handle)).listen(Number(PORT), '127.0.0.1');`,
  ],
} as const;

describe('the lines of a sign-in', () => {
  const [, [, strict]] = MODES;
  const service = shareListeningService(strict);

  test('are at most five', () => {
    expect(glue.trim().split('\n').length).toBeLessThanOrEqual(5);
  });

  test.each(['Express', 'Fastify', 'Web'] as const)('sign in with %s', async (name) => {
    const [before, after] = APPLICATIONS[name];
    const others = glue
      .split('\n')
      .filter((line) => !/signInFor/.test(line) || line.includes(`signInFor${name}`));
    const code = `import { createClient } from '@miftah/client';
    const { MIFTAH_URL, MIFTAH_KEY, APP_URL, APP_SECRET, PORT } = process.env;
    ${before}\n${others.join('\n')}\n${after}`;
    const environment = {
      PATH: process.env['PATH'],
      MIFTAH_URL: `${service().origin}/api/v1`,
      MIFTAH_KEY: 'mfk_test_simulator',
      APP_SECRET: 'a secret of this test, which is long enough',
    };
    const { ask, port } = await startBackEnd(environment, code);
    const started = await begin(port);
    const authorizationUrl = started.headers.get('location') ?? '';
    const back = await signInByBrowser({ authorizationUrl });
    const finished = await ask(back.pathname + back.search, cookieOf(started));
    expect(await finished.text()).toContain('Welcome, أمل');
  });
});

/** A back end of docs/client.md, in a process of its own. */
async function startBackEnd(
  environment: NodeJS.ProcessEnv,
  code = backEnd,
  atEnd: AtEnd = onTestFinished,
) {
  const port = await findFreePort();
  const env = { ...environment, PORT: String(port), APP_URL: `http://127.0.0.1:${port}` };
  const program = moduleOf(code, ['@miftah/client', 'express', 'fastify'], '', atEnd);
  const child = spawn(process.execPath, [program], { env, stdio: 'pipe' });
  atEnd(() => void child.kill());
  let said = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const ask = async (path: string, cookie = '') =>
    fetch(new URL(path, `http://127.0.0.1:${port}`), { headers: { cookie }, redirect: 'manual' });
  await until(() =>
    ask('/').then(
      () => true,
      () => false,
    ),
  );
  return { ask, port, said: () => said };
}

/** As its page sends the form. */
async function begin(
  port: number,
  members: Record<string, string> = {},
  origin = `http://127.0.0.1:${port}`,
): Promise<Response> {
  const form = { method: 'POST', body: new URLSearchParams(members) };
  const address = `http://127.0.0.1:${port}/sign-in/start`;
  return fetch(address, { ...form, headers: { origin }, redirect: 'manual' });
}

function cookieOf({ headers }: Response): string {
  return headers.get('set-cookie') ?? 'none';
}
