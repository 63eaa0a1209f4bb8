import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ReturnListener } from '../../src/commands/instance/drive-context.ts';
import { listenForReturn } from '../../src/platform/browser-return.ts';
import type { Timer } from '../../src/platform/runtime.port.ts';
import { systemTimer } from '../../src/platform/runtime.ts';
import { signInByBrowser } from '../support/client/person.ts';
import { drive, resultOf, shareListening, type DriveOptions } from '../support/drive/drive.ts';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { share, temporaryFolder } from '../support/at-end.ts';
import { BANK_KEY, CLIENTS } from '../support/live/rehearsal.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { openTestService } from '../support/service/test-service.ts';
import { startPhone, statusOf } from '../support/service/login.ts';

/** `miftah login`: a whole sign-in from a terminal. */

const simulated = shareListening();
const strict = shareListening({ STRICT: 'yes' });

const AMAL_NAME = 'Amal Salem Nasser Alnamuthaji';
/** What goes to the start of a line, and erases it. */
const ERASED = '\r\u001b[K';

interface LoggedIn {
  readonly token: string;
  readonly expires_at: string;
  readonly attempt_id: string;
  readonly user: { readonly id: number; readonly national_id: string };
}

describe.each([
  { mode: 'simulator', instance: simulated },
  { mode: 'strict', instance: strict },
])('miftah login in $mode mode', ({ instance }) => {
  const loginIn = (args: readonly string[] = [], options: DriveOptions = {}) =>
    drive(instance().origin, ['login', ...args], options);

  it('signs in by phone, as the default person', async () => {
    const ran = await loginIn(['--approve']);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    const { token, user, attempt_id: id, expires_at: expires } = resultOf<LoggedIn>(ran);
    expect(user).toMatchObject({ national_id: '1000001101', english_name: AMAL_NAME });
    expect(token).toMatch(/^mft_test_/);
    expect(expires).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(ran.err).toMatch(/^Choose \d+ on the phone\. [0-5]:\d\d left\.\n$/);
    expect(ran.err).not.toContain(token);
  });

  it('takes a number, also from standard input, as people paste it', async () => {
    const named = await loginIn(['--phone', '1900000001']);
    expect(resultOf<LoggedIn>(named).user.national_id).toBe('1900000001');
    const typed = await loginIn(['--phone', '-'], { input: ['\u200f١٩٠٠ ٠٠٠ ٠٠١'] });
    expect(resultOf<LoggedIn>(typed).user.national_id).toBe('1900000001');
  });

  it('ends with the code of the service when the person refuses', async () => {
    const ran = await loginIn(['--phone', '1900000010']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/miftah: attempt\.rejected: .+\n {2}.+\n {2}request \S+\n$/);
    expect(ran.err).not.toContain('1900000010');
  });

  it('says so too where it should have approved in the place of who has refused', async () => {
    const ran = await loginIn(['--approve', '--phone', '1900000010']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/miftah: attempt\.rejected: /);
  });

  it.each([
    [
      '1900000032',
      'en',
      /provider\.unavailable: .*\n {2}.+\n {2}Retry-After: \d+ seconds?\n {2}request/,
    ],
    ['1900000021', 'en', /provider\.record_not_found: .*\n {2}.+\n {2}reference: \d+\n {2}request/],
    ['1900000001', '?', /validation\.failed: .*\n {2}violation: \/locale \(\S+\)\n {2}request/],
  ])('says what the advice on %s, %s speaks of', async (number, locale, words) => {
    const ran = await loginIn(['--phone', number, '--locale', locale]);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(words);
  });

  it('signs in by browser, and takes the code that the browser brings back', async () => {
    const opened: string[] = [];
    const openBrowser = (address: string) => void opened.push(address);
    let listener: ReturnListener | null = null;
    const context = {
      openBrowser: (address: string) => {
        openBrowser(address);
        void signInByBrowser({ authorizationUrl: address }).then((back) => fetch(back));
      },
      listenForReturn: async () => (listener = await listenForReturn()),
    };
    const ran = await loginIn(['--browser'], { context });
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(resultOf<LoggedIn>(ran).user.national_id).toBe('1000001101');
    expect(ran.err).toContain(`Sign in at ${opened[0]}\n`);
    expect(opened).toHaveLength(1);
    const { address } = listener ?? { address: '' };
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });
});

/** A browser that does not come back. */
const approveIn = (authorizationUrl: string) => void signInByBrowser({ authorizationUrl });

/** The service is not reached any more when the sign-in is to be cancelled. */
const withoutCancel: typeof fetch = (address, init) =>
  init?.method === 'DELETE' ? Promise.reject(new TypeError('fetch failed')) : fetch(address, init);

const login = (args: readonly string[] = [], options: DriveOptions = {}) =>
  drive(simulated().origin, ['login', ...args], options);

describe('miftah login', () => {
  it('by browser, approved without one', async () => {
    const ran = await login(['--browser', '--approve', '--person', 'faisal']);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(resultOf<LoggedIn>(ran).user.national_id).toBe('1000002201');
  });

  it('counts down on a terminal, and leaves nothing of it', async () => {
    const { code, out, err } = await login(['--approve'], { terminal: 200 });
    expect(code).toBe(0);
    expect(err.startsWith(`${ERASED}Choose `)).toBe(true);
    expect(err.endsWith(ERASED)).toBe(true);
    expect(err).toMatch(/Choose \d{6} on the phone\. [45]:\d\d left\./);
    expect(stripVTControlCharacters(out)).toMatch(/^token {8}mft_test_\S+\n/);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/Arabic name.* أمل سالم ناصر النموذجي$/);
  });

  it('shows how long the push can be answered, which is shorter than the attempt', async () => {
    const { err } = await drive(strict().origin, ['login', '--approve']);
    expect(err).toMatch(/^Choose \d+ on the phone\. (?:1:00|0:\d\d) left\.\n$/);
  });

  it('is ended by Ctrl-C, and cancels what it has started', async () => {
    const stop = new AbortController();
    const openBrowser = () => stop.abort();
    const ran = await login(['--browser'], { context: { stop: stop.signal, openBrowser } });
    expect(ran).toMatchObject({ code: 130, out: '' });
    expect(ran.err).toMatch(
      /command\.interrupted: Ended by Ctrl-C\. The sign-in was cancelled\.\n$/,
    );
    expect(ran.sent.at(-1)).toMatch(/^DELETE \/api\/v1\/attempts\/[\da-f-]{36}$/);
  });

  it('does not call a sign-in cancelled at Ctrl-C that the service has not cancelled', async () => {
    const stop = new AbortController();
    const openBrowser = () => stop.abort();
    const context = { stop: stop.signal, openBrowser, fetch: withoutCancel };
    const ran = await login(['--browser'], { context });
    expect(ran).toMatchObject({ code: 130, out: '' });
    expect(ran.err).toContain('did not take the cancel of the sign-in, which may go on there');
  });

  it('is ended by Ctrl-C while the browser that has approved is on its way', async () => {
    const stop = new AbortController();
    const timer: Timer = {
      after: (ms, run) => {
        // So long it waits for the browser.
        if (ms === 5000) stop.abort();
        return systemTimer.after(ms, run);
      },
    };
    const context = { stop: stop.signal, openBrowser: approveIn, timer };
    const ran = await login(['--browser'], { context });
    expect(ran).toMatchObject({ code: 130, out: '' });
    expect(ran.sent.at(-1)).toMatch(/^DELETE \/api\/v1\/attempts\//);
  });

  it.each([
    [['--phone', '12345'], 'ten digits'],
    [['--phone'], 'Write a national id after --phone, or - to type it.'],
    [['--phone', '--json'], 'Write a national id after --phone, or - to type it.'],
    [['--phone', '1000001101', '--browser'], 'either --phone or --browser'],
    [['--person', 'faisal'], '--person is who approves, and goes with --approve.'],
    [['--port', '8765'], '--port is where a browser comes back to'],
    [['--browser', '--approve', '--port', '8765'], '--port is where a browser comes back to'],
    [['--browser', '--port', '0'], 'It is a number from 1 to 65535.'],
  ])('refuses %o as misused', async (args, says) => {
    const ran = await login(args);
    expect(ran).toMatchObject({ code: 2, out: '', sent: [] });
    expect(ran.err).toContain(says);
    expect(ran.err).not.toContain('1000001101');
  });

  it('says why the sign-in has failed, where another person has approved', async () => {
    const ran = await login(['--phone', '1000002201', '--approve', '--person', 'amal']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/attempt\.failed: .+\n {2}Another person has approved.+--person/);
    expect(ran.err).toContain('\n  reason: provider.mismatch\n');
  });

  it('starts nothing that a person who is not there would have to approve', async () => {
    const ran = await login(['--approve', '--person', 'faisall']);
    const sent = ['people?limit=1', 'people/faisall', 'people?limit=21'];
    expect(ran).toMatchObject({
      code: 1,
      out: '',
      sent: sent.map((one) => `GET /simulator/${one}`),
    });
    expect(ran.err).toMatch(/Name as --person one of its people: amal, faisal, /);
  });

  it('says that strict mode needs a browser, before anything is started', async () => {
    const ran = await drive(strict().origin, ['login', '--browser', '--approve']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('command.needs_browser: In strict mode');
    expect(ran.sent).toEqual(['GET /simulator/people?limit=1', 'GET /openapi.json']);
  });

  it('names the variable where the key is of no client', async () => {
    const ran = await drive(strict().origin, ['login', '--phone', '1900000001'], {
      environment: { MIFTAH_KEY: 'mfk_of_somebody_else' },
    });
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/client\.unauthenticated: .+\n.*MIFTAH_KEY/);
    expect(ran.err).not.toContain('mfk_of');
  });

  it('names the variable of a key that is none', async () => {
    const ran = await drive(strict().origin, ['login'], { environment: { MIFTAH_KEY: 'canary' } });
    expect(ran).toMatchObject({ code: 2, sent: [] });
    expect(ran.err).toContain('MIFTAH_KEY must be the key of a client (mfk_…)');
    expect(ran.err).not.toContain('canary');
  });

  it.each(['MIFTAH_KEY', 'SIMULATOR_TOKEN'])('names %s that no header can have', async (name) => {
    const ran = await drive(strict().origin, ['login', '--phone', '1900000001'], {
      environment: { [name]: 'mfk_canary\nof_two_lines' },
    });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(`${name} must be visible ASCII characters`);
    expect(ran.err).not.toMatch(/canary|two_lines/);
  });
});

describe('miftah login --browser as a confidential client', () => {
  const own = share(async (atEnd) => {
    const [port, back] = [await findFreePort(), await findFreePort()];
    const entry = { ...CLIENTS.bank, return_addresses: [`http://127.0.0.1:${back}/`] };
    const file = writeClientsFile(temporaryFolder('clients', atEnd), [entry]);
    const settings = { STRICT: 'yes', RATE_LIMITS: 'off', PORT: String(port), CLIENTS_FILE: file };
    const service = await openTestService({ settings, atEnd });
    await service.app.listen({ port, host: '127.0.0.1' });
    return { origin: `http://127.0.0.1:${port}`, back };
  });
  const loginBy = (...args: readonly string[]) =>
    drive(own().origin, ['login', '--browser', ...args], {
      environment: { MIFTAH_KEY: BANK_KEY },
      context: {
        openBrowser: (address) =>
          void signInByBrowser({ authorizationUrl: address }).then((back) => fetch(back)),
      },
    });

  it('is refused at a port that is not registered, with what can be followed', async () => {
    const ran = await loginBy();
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/validation\.failed: .+\n {2}Without --port .+--port 8765.+--phone/);
    expect(ran.err).not.toContain('Sign in at');
  });

  it('signs in at the port that is', async () => {
    const ran = await loginBy('--port', String(own().back));
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(resultOf<LoggedIn>(ran).token).toMatch(/^mft_/);
  });

  it('says that the port is taken', async () => {
    const ran = await loginBy('--port', new URL(own().origin).port);
    expect(ran).toMatchObject({ code: 1, out: '', sent: [] });
    expect(ran.err).toMatch(/command\.port_taken: Port \d+ of 127\.0\.0\.1 .+: EADDRINUSE\.\n/);
  });
});

const cancel = (args: readonly string[], options: DriveOptions = {}) =>
  drive(simulated().origin, ['cancel', ...args], options);

describe('miftah cancel', () => {
  it.each([
    ['as an argument', (token: string) => [[token], []]],
    ['read', (token: string) => [[], [token]]],
    ['read where it is -', (token: string) => [['-'], [token]]],
  ])('ends an attempt, with its token %s', async (_, given) => {
    const { service } = simulated();
    const started = await startPhone(service);
    const [args = [], input = []] = given(started.attempt_token);
    const ran = await cancel([started.attempt_id, ...args], { input });
    expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
    expect(resultOf(ran)).toEqual({ attempt_id: started.attempt_id, status: 'rejected' });
    expect(await statusOf(service, started)).toBe('rejected');
  });

  it('says why it has not, and shows no token', async () => {
    const { attempt_id: id } = await startPhone(simulated().service);
    const wrong = 'x'.repeat(64);
    const refused = await cancel([id, wrong]);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^miftah: attempt\.not_found: /);
    expect(refused.err).not.toContain(wrong);
    const bare = await cancel([id]);
    expect(bare).toMatchObject({ code: 2, out: '', sent: [] });
    expect(bare.err).toContain('There is no token');
  });
});
