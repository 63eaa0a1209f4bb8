import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findTool, hasTools } from '../../../scripts/debian.mjs';
import { type AtEnd, share, temporaryFolder } from '../support/at-end.ts';
import { MODES } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { signInByBrowser } from '../support/client/person.ts';
import { failingService } from '../support/programs/failing-service.ts';
import { snippetsOf } from '../support/client/snippets.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';

/** The back ends of docs/applications.md in other languages are run as they stand. */

type Recipe = {
  readonly language: string;
  readonly program: string;
  /** One for each block of the language. */
  readonly files: readonly string[];
  readonly argumentsOf: (host: string) => readonly string[];
};

const PYTHON: Recipe = {
  language: 'python',
  program: 'python3',
  files: ['sign_in.py', 'app.py', 'by_phone.py'],
  argumentsOf: () => ['app.py'],
};

/** With a folder for its sessions that ends with the test. */
const PHP: Recipe = {
  language: 'php',
  program: 'php',
  files: ['sign-in.php'],
  argumentsOf: (host) => ['-d', 'session.save_path=.', '-S', host, 'sign-in.php'],
};

const run = promisify(execFile);

const PAGE = 'docs/applications.md';
const [, [, STRICT]] = MODES;
const service = shareListeningService(STRICT);

const nobody = () => new PersonBrowser(() => undefined);

function browserWith(cookies: ReadonlyMap<string, string>): PersonBrowser {
  const browser = nobody();
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return browser;
}

const settingsFor = (application: string) => ({
  PATH: process.env['PATH'],
  MIFTAH_URL: `${service().origin}/api/v1`,
  MIFTAH_KEY: 'mfk_test_simulator',
  APP_URL: application,
});

/** @returns the address of the back end, and all that it has said */
async function start(
  { language, program, files, argumentsOf }: Recipe,
  atEnd: AtEnd,
  settings: Readonly<Record<string, string>> = {},
) {
  const host = `127.0.0.1:${await findFreePort()}`;
  const folder = temporaryFolder('recipe', atEnd);
  for (const [index, code] of snippetsOf(PAGE, language).entries()) {
    writeFileSync(join(folder, files[index] ?? ''), code);
  }
  const log = join(folder, 'log');
  const output = openSync(log, 'w');
  const child = spawn(findTool(program) ?? program, argumentsOf(host), {
    cwd: folder,
    env: { ...settingsFor(`http://${host}`), ...settings },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const gone = once(child, 'exit');
  atEnd(async () => {
    child.kill();
    await gone;
  });
  const said = () => readFileSync(log, 'utf8');
  await until(async () => {
    if (child.exitCode !== null) throw new Error(said());
    return (await fetch(`http://${host}/`).catch(() => null)) !== null;
  });
  return { origin: `http://${host}`, said };
}

function testsOf(recipe: Recipe): void {
  const started = share((atEnd) => start(recipe, atEnd));
  const application = () => started().origin;
  const who = async (browser: PersonBrowser) => (await browser.open(`${application()}/`)).html;

  /** Starts with this browser. @returns the address that the browser is sent to */
  async function begin(browser: PersonBrowser): Promise<string> {
    const { status, location } = await browser.press(await browser.open(application()));
    expect(status).toBe(303);
    // The id of the attempt is all that it says.
    expect(location?.href).toMatch(/^http:\/\/[\d.:]+\/api\/v1\/callback\?state=[\da-f-]{36}$/);
    return location?.href ?? '';
  }

  const post = (headers: Record<string, string>) =>
    fetch(`${application()}/sign-in`, { method: 'POST', headers, redirect: 'manual' });

  async function returnOf(browser: PersonBrowser, decision?: string): Promise<URL> {
    return signInByBrowser({ authorizationUrl: await begin(browser) }, decision);
  }

  it('shows who has signed in, in a session with a new id', async () => {
    const browser = nobody();
    const returned = await returnOf(browser);
    const before = new Map(browser.cookies);
    expect((await browser.open(returned)).location?.href).toBe(`${application()}/`);
    expect(await who(browser)).toContain('You are Amal Salem Nasser Alnamuthaji.');
    expect(await who(browserWith(before))).toContain('You are not signed in.');
    expect((await browser.open(returned)).status).toBe(403);
    // It answers one request after the other, so it has said by now what it says of the return.
    expect(await who(browser)).toContain('You are Amal');
    const code = returned.searchParams.get('completion_code') ?? '';
    expect(code).not.toBe('');
    expect(started().said()).not.toContain(code);
  });

  it('keeps the cookie of its session from scripts and from other sites', async () => {
    const { headers } = await post({ origin: application() });
    const cookies = headers.getSetCookie().map((cookie) => cookie.toLowerCase());
    expect(cookies).not.toEqual([]);
    for (const cookie of cookies) expect(cookie).toMatch(/(?=.*; httponly)(?=.*; samesite=lax)/);
  });

  it('starts nothing by a link or by a form of another site', async () => {
    const browser = nobody();
    const returned = await returnOf(browser);
    const before = new Map(browser.cookies);
    const link = await browser.open(`${application()}/sign-in`);
    const foreign = new URL('https://other.example');
    const form = await browser.submit(`${application()}/sign-in`, {}, foreign);
    expect([link.location, form.location, form.status]).toEqual([null, null, 403]);
    expect(form.html).toContain(
      `This form is from https://other.example. Open ${application()} in its place, or set APP_URL`,
    );
    for (const origin of [{}, { origin: 'null' }]) {
      expect((await post(origin)).status).toBe(403);
    }
    // What this browser has begun is still there.
    expect(browser.cookies).toEqual(before);
    expect((await browser.open(returned)).status).toBe(303);
  });

  it('ends the session of before when a person signs in anew', async () => {
    const browser = nobody();
    await browser.open(await returnOf(browser));
    const before = new Map(browser.cookies);
    expect(await who(browserWith(before))).toContain('You are Amal');
    await begin(browser);
    expect(await who(browserWith(before))).toContain('You are not signed in.');
  });

  it('drops the return of another browser, which harms nobody', async () => {
    const browser = nobody();
    const returned = await returnOf(browser);
    const stranger = nobody();
    await begin(stranger);
    for (const one of [stranger, nobody()]) {
      const { status, html } = await one.open(returned);
      expect([status, html]).toEqual([
        403,
        expect.stringContaining('has not started this sign-in'),
      ]);
      expect(await who(one)).toContain('You are not signed in.');
    }
    expect((await browser.open(returned)).status).toBe(303);
  });

  it('believes the service, and not the address, when nobody has signed in', async () => {
    const browser = nobody();
    const returned = await returnOf(browser, 'refuse');
    expect(returned.searchParams.get('error')).toBe('access_denied');
    const { status, html } = await browser.open(returned);
    expect([status, html]).toEqual([403, expect.stringContaining('The sign-in was rejected.')]);
    expect(await who(browser)).toContain('You are not signed in.');
  });

  it('says that there is no answer when the service is down, and why in its log', async () => {
    const api = `http://127.0.0.1:${await findFreePort()}/api/v1`;
    const { origin, said } = await start(recipe, onTestFinished, { MIFTAH_URL: api });
    const browser = nobody();
    const { status, html } = await browser.press(await browser.open(origin));
    expect([status, html]).toEqual([403, expect.stringContaining('No answer.')]);
    await expect.poll(said).toMatch(/Connection refused/);
    expect(said()).toContain(api);
  });

  it('says in its log that what answers is no Miftah service', async () => {
    // It answers a form in HTML.
    const { origin, said } = await start(recipe, onTestFinished, { MIFTAH_URL: application() });
    const browser = nobody();
    const { status, html } = await browser.press(await browser.open(origin));
    expect([status, html]).toEqual([403, expect.stringContaining('No answer.')]);
    await expect.poll(said).toContain(`${application()}/api/v1`);
  });

  it('logs what the operator and the provider ask for', async () => {
    const api = await failingService(onTestFinished);
    const { origin, said } = await start(recipe, onTestFinished, { MIFTAH_URL: api });
    const browser = nobody();
    const { html } = await browser.press(await browser.open(origin));
    expect(html).toContain('The provider is not available.');
    for (const known of ['"request_id": ?"the-request"', '"reference": ?4711']) {
      await expect.poll(said).toMatch(new RegExp(known));
    }
    if (recipe === PYTHON) expect(said()).toContain('"Retry-After": "17"');
  });

  it('takes the address of the service without the path of the API', async () => {
    const addresses = { MIFTAH_URL: `${service().origin}/` };
    const { origin } = await start(recipe, onTestFinished, addresses);
    const browser = nobody();
    const { status, location } = await browser.press(await browser.open(origin));
    expect([status, location?.pathname]).toEqual([303, '/api/v1/callback']);
  });

  it.each(['MIFTAH_URL', 'MIFTAH_KEY', 'APP_URL'])('names %s where it is missing', async (name) => {
    const said = start(recipe, onTestFinished, { [name]: '' }).then(
      async ({ origin, said: log }) => {
        await fetch(origin);
        return log();
      },
      String,
    );
    expect(await said).toContain(`Set ${name}.`);
    expect(await said).not.toContain('KeyError');
  });

  it('tells its own log of a wrong key, and not the person', async () => {
    const { origin, said } = await start(recipe, onTestFinished, { MIFTAH_KEY: 'mfk_test_wrong' });
    const browser = nobody();
    const { status, html } = await browser.press(await browser.open(origin));
    expect([status, html]).toEqual([403, expect.stringContaining('Sign-in is not available now.')]);
    await expect.poll(said).toContain('client.unauthenticated');
    expect(said()).not.toContain('mfk_test_wrong');
  });
}

it.each(['python', 'php'])('each program in %s has at most thirty lines', (language) => {
  const programs = snippetsOf(PAGE, language);
  expect(programs.length).toBeGreaterThan(0);
  for (const program of programs) {
    const lines = program.split('\n').filter((line) => line.trim() !== '');
    expect(lines.length, program).toBeLessThanOrEqual(30);
  }
});

describe('the back end in Python', { skip: !hasTools('python') }, () => {
  testsOf(PYTHON);

  it.each([
    ['1900000001', 'Welcome, '],
    ['1900000010', 'The sign-in was rejected.'],
  ])('signs in by phone too: %s', async (nationalId, says) => {
    const [signIn = '', , byPhone = ''] = snippetsOf(PAGE, 'python');
    const folder = temporaryFolder('recipe', onTestFinished);
    writeFileSync(join(folder, 'sign_in.py'), signIn);
    writeFileSync(join(folder, 'by_phone.py'), byPhone.replace('1900000001', nationalId));
    const { stdout } = await run(findTool('python3') ?? 'python3', ['by_phone.py'], {
      cwd: folder,
      env: settingsFor('http://127.0.0.1:8080'),
    });
    expect(stdout).toMatch(/^Choose \d{2} on your phone\n/);
    expect(stdout).toContain(says);
  });
});

describe('the back end in PHP', { skip: !hasTools('php') }, () => {
  testsOf(PHP);
});
