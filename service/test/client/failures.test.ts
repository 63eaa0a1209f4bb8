import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import {
  createClient,
  MiftahError,
  relayEvents,
  type ClientOptions,
  type StartOptions,
} from '@miftah/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clientOf, watchedFetch } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { findFreePort } from '../support/programs/service-process.ts';

const service = shareListeningService();
const UNKNOWN_NUMBER = '1900000021';

/** What a JavaScript application can write, whatever the types say. */
const createFrom = createClient as (options?: object) => ReturnType<typeof createClient>;

/** What an attempt that was exported has. */
const KEPT = { id: 'i', token: 't', flow: 'mfa', expiresAt: '2026-01-31T09:05:00Z', key: 'k' };

/** Has what is asked for of a signal, and nothing else. */
function lookalike(addEventListener: (type: string, end: () => void) => void) {
  return { signal: { aborted: false, addEventListener } };
}

async function failureOf(call: Promise<unknown>): Promise<MiftahError> {
  const failure = await call.catch((error: unknown) => error);
  if (failure instanceof MiftahError) return failure;
  throw new Error('It has not failed as a call does.', { cause: failure });
}

function freezeTimers(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

/** The failure of a start, by default at an address that is nowhere. */
function startFailing(options: Partial<ClientOptions>): Promise<MiftahError> {
  const baseUrl = 'http://sign-in.test/api/v1';
  return failureOf(createClient({ baseUrl, ...options }).start({ locale: 'en' }));
}

describe('C-14 wrong use is a TypeError that says what is right', () => {
  const MUST = 'baseUrl must begin with http:// or https://, as http://127.0.0.1:3000/api/v1';

  test.each([
    [undefined, 'undefined'],
    [{}, 'undefined'],
    [{ baseUrl: undefined }, 'undefined'],
    [{ baseUrl: null }, 'null'],
    [{ baseUrl: '' }, '""'],
  ])('of a client without an address, which says what it was given: %j', (options, given) => {
    expect(() => createFrom(options)).toThrow(new TypeError(`${MUST}, not ${given}`));
  });

  test.each(['127.0.0.1:3917/api/v1', 'localhost:3917/api/v1', 'ftp://example.test', 'mfk_test_x'])(
    'of a client with an address that is none, which is not shown: %s',
    (baseUrl) => expect(() => createClient({ baseUrl })).toThrow(new TypeError(MUST)),
  );

  test('of a client in a page, where an address may be relative, and none is not the page', () => {
    vi.stubGlobal('location', { href: 'http://app.test/sign-in' });
    expect(() => createFrom({})).toThrow(new TypeError(`${MUST}, not undefined`));
    expect(() => createFrom({ baseUrl: '' })).toThrow(new TypeError(`${MUST}, not ""`));
    expect(createFrom({ baseUrl: '/api/v1' })).toBeDefined();
  });

  test.each(['hello', '', '{}', 'null'])('of a text that no attempt gave: %j', (exported) => {
    const resumed = () => clientOf(service()).resume(exported);
    expect(resumed).toThrow(new TypeError('No text of attempt.export()'));
  });

  test.each([
    ['no locale', { nationalId: UNKNOWN_NUMBER }],
    ['nothing', undefined],
  ])('of a start with %s, and nothing is sent', async (_, options) => {
    const { sent, fetch } = watchedFetch();
    const client = clientOf(service(), { fetch });
    const start = client.start.bind(client) as (options?: object) => Promise<unknown>;
    const error = new TypeError('locale must be ar or en');
    await expect(start(options)).rejects.toThrow(error);
    expect(sent).toEqual([]);
  });

  const START = 'start takes { locale, nationalId, returnAddress, endUserAddress }';

  const WRONG: readonly [string, unknown, string][] = [
    ['createClient', { baseurl: 'x' }, '{ baseUrl, clientKey, fetch }; not: baseurl, but baseUrl'],
    ['createClient', 'mfk_test_x', '{ baseUrl, clientKey, fetch }; not: String'],
    ['start', UNKNOWN_NUMBER, '{ locale, nationalId, returnAddress, endUserAddress }; not: String'],
    [
      'start',
      { locale: 'en', national_id: UNKNOWN_NUMBER },
      '{ locale, nationalId, returnAddress, endUserAddress }; not: national_id, but nationalId',
    ],
    ['waitForResult', { timeoutMs: 5 }, '{ signal, timeout }; not: timeoutMs, but timeout'],
    ['waitForResult', 5, '{ signal, timeout }; not: Number'],
    [
      'issueToken',
      { completion_code: 'secret' },
      '{ completionCode, deviceName, endUserAddress }; not: completion_code, but completionCode',
    ],
    ['cancel', { address: '192.0.2.1' }, '{ endUserAddress }; not: address'],
    ['cancel', null, '{ endUserAddress }; not: Null'],
    ['createLogin', { clientID: 'web' }, '{ clientId }; not: clientID, but clientId'],
    [
      'issueToken',
      new Map([['completionCode', 'secret']]),
      '{ completionCode, deviceName, endUserAddress }; not: Map',
    ],
    [
      'finish',
      new URL('https://shop.example/back'),
      '{ returned, deviceName, endUserAddress }; not: URL',
    ],
    ['finish', { url: '/' }, '{ returned, deviceName, endUserAddress }; not: url'],
    ['relayEvents', { last: 1 }, '{ lastEventId, signal }; not: last'],
  ];

  test.each([
    ['natonalId', 'nationalId'],
    ['NATIONAL_IDD', 'nationalId'],
    ['returnAdress', 'returnAddress'],
    ['end_user_address', 'endUserAddress'],
    ['natioanlId', 'nationalId'],
    ['nationaldI', 'nationalId'],
    ['antionalId', 'nationalId'],
    ['tanionalId', ''],
    ['id', ''],
    ['(', ''],
  ])('of a start with %s names what is near it: %s', async (name, near) => {
    const client = createClient({ baseUrl: 'http://sign-in.test' });
    const start = client.start.bind(client) as (options: object) => Promise<unknown>;
    const error = new TypeError(`${START}; not: ${name}${near && `, but ${near}`}`);
    await expect(start({ [name]: 'x' })).rejects.toThrow(error);
  });

  test.each(WRONG)('of %s with %j, and nothing is sent', async (call, options, said) => {
    const client = clientOf(service());
    const attempt = await client.start({ locale: 'en' });
    const { sent, fetch } = watchedFetch();
    const watched = clientOf(service(), { fetch });
    const resumed = watched.resume(attempt.export());
    const sessions = new Map<string, string>();
    // What JavaScript can write, whatever the types say.
    const calls = {
      createClient,
      start: watched.start.bind(watched),
      waitForResult: resumed.waitForResult.bind(resumed),
      issueToken: resumed.issueToken.bind(resumed),
      cancel: resumed.cancel.bind(resumed),
      createLogin: watched.createLogin.bind(watched, sessions),
      finish: watched.createLogin(sessions).finish.bind(null, 'session'),
      relayEvents: relayEvents.bind(null, resumed),
    } as unknown as Record<string, (options: unknown) => unknown>;
    const wrong = async () => calls[call]?.(options);
    await expect(wrong()).rejects.toThrow(new TypeError(`${call} takes ${said}`));
    expect(sent).toEqual([]);
  });

  test.each([
    ['start', `${START}; not: more`],
    ['login.start', `${START}; not: more`],
    ['status', 'status takes { nothing }; not: more'],
  ])('of %s with a value too many, and nothing is sent', async (call, said) => {
    const { sent, fetch } = watchedFetch();
    const client = clientOf(service(), { fetch });
    const login = client.createLogin(new Map());
    const attempt = client.resume(JSON.stringify(KEPT));
    const calls = {
      start: client.start.bind(client, { locale: 'en' }),
      'login.start': login.start.bind(login, 'session', { locale: 'en' }),
      status: attempt.status.bind(attempt),
    } as unknown as Record<string, (more: unknown) => Promise<unknown>>;
    const wrong = calls[call]?.({ nationalId: UNKNOWN_NUMBER });
    await expect(wrong).rejects.toThrow(new TypeError(said));
    expect(sent).toEqual([]);
  });

  test.each([
    // What JavaScript can write: a field of a form that was not filled in.
    ['undefined, which would start by browser', undefined],
    ['no text', 1_900_000_001],
    ['null', null],
  ])('of a number that is %s, and nothing is sent', async (_what, nationalId) => {
    const { sent, fetch } = watchedFetch();
    const client = clientOf(service(), { fetch });
    const login = client.createLogin(new Map());
    const options = { locale: 'en', nationalId } as unknown as StartOptions;
    const error = new TypeError('nationalId must be a text, or left out');
    await expect(client.start(options)).rejects.toThrow(error);
    await expect(login.start('session', options)).rejects.toThrow(error);
    expect(sent).toEqual([]);
  });

  test('but any other member that is undefined is none', async () => {
    const options = { locale: 'en', returnAddress: undefined, endUserAddress: undefined };
    const attempt = await clientOf(service()).start(options);
    expect(attempt.flow).toBe('oidc');
    await attempt.cancel({ endUserAddress: undefined });
  });
});

describe('C-14 a value that no call can use is a TypeError', () => {
  const baseUrl = 'http://sign-in.test/api/v1';

  test.each(['5s', '5000', null, Number.NaN, {}, -1, Infinity, 1e12])(
    'a time to wait of %j',
    async (timeout) => {
      const attempt = createClient({ baseUrl }).resume(JSON.stringify(KEPT));
      const wait = attempt.waitForResult.bind(attempt) as (options: object) => Promise<unknown>;
      const error = new TypeError('timeout must be milliseconds below 2 ** 31');
      await expect(wait({ timeout })).rejects.toThrow(error);
    },
  );

  const NO_KEYS = [null, '', '  ', {}, 7, 'mfk_', 'a', 'Bearer mfk_a', 'mfk_a b', 'mfk_a\n'];

  test.each(NO_KEYS)('a key of %j, which is not shown', (clientKey) => {
    const create = () => createFrom({ baseUrl, clientKey });
    const must = 'clientKey must be mfk_… in ASCII without white space (.trim()) or Bearer';
    expect(create).toThrow(new TypeError(`${must}${clientKey === '' ? ', not empty' : ''}`));
  });

  describe('a signal', () => {
    const attempt = createClient({ baseUrl }).resume(JSON.stringify(KEPT));
    const wait = attempt.waitForResult.bind(attempt) as (options: object) => Promise<unknown>;
    const relay = relayEvents.bind(null, attempt) as (options: object) => unknown;

    test.each([null, {}, 5, { aborted: false }, new AbortController()])(
      'of %j, before anything begins',
      async (signal) => {
        freezeTimers();
        const error = new TypeError('signal must be an AbortSignal');
        await expect(wait({ signal })).rejects.toThrow(error);
        expect(() => relay({ signal })).toThrow(error);
        expect(vi.getTimerCount()).toBe(0);
      },
    );

    test('that fails leaves no timer, which would keep the process', async () => {
      freezeTimers();
      const broken = lookalike(() => {
        throw new Error('no listener');
      });
      await expect(wait(broken)).rejects.toMatchObject({ code: 'client.network' });
      expect(() => relay(broken)).toThrow('no listener');
      expect(vi.getTimerCount()).toBe(0);
    });

    test('is good with `aborted` and `addEventListener` alone', async () => {
      freezeTimers();
      const abort: (() => void)[] = [];
      const waited = wait(lookalike((_, end) => void abort.push(end)));
      for (const end of abort) end();
      await expect(waited).rejects.toMatchObject({ code: 'client.aborted' });
      expect([abort.length, vi.getTimerCount()]).toEqual([1, 0]);
    });
  });

  const AMONG = ['not ip', 'unknown', '', '198.51.100.7, 192.0.2.1', 'shop.example', '7', null];

  test.each(AMONG)('an address of the person of %j, and nothing is sent', async (address) => {
    const { sent, fetch } = watchedFetch();
    const client = createClient({ baseUrl, fetch });
    const attempt = client.resume(JSON.stringify(KEPT));
    const login = client.createLogin(new Map([['session', JSON.stringify(KEPT)]]));
    const options = { endUserAddress: address } as { endUserAddress: string };
    const empty = address === '' ? ', not empty' : '';
    const error = new TypeError(`endUserAddress must be an IP address${empty}`);
    await expect(client.start({ locale: 'en', ...options })).rejects.toThrow(error);
    await expect(attempt.cancel(options)).rejects.toThrow(error);
    await expect(attempt.issueToken(options)).rejects.toThrow(error);
    await expect(login.finish('session', options)).rejects.toThrow(error);
    expect(sent).toEqual([]);
  });

  test.each(['192.0.2.1', '192.0.2.1:80', '2001:DB8::1', '::1', '[::1]:80', 'fe80::1%eth0'])(
    'but no address as sockets and proxies write one: %s',
    async (endUserAddress) => {
      const attempt = await clientOf(service()).start({ locale: 'en', endUserAddress });
      await attempt.cancel({ endUserAddress });
    },
  );

  test.each(['start', 'finish', 'attempt', 'forget'])(
    'no id of a session, which would be one session for everybody: login.%s',
    async (call) => {
      const { sent, fetch } = watchedFetch();
      const sessions = new Map([['undefined', 'x']]);
      const login = createClient({ baseUrl, fetch }).createLogin(sessions);
      const calls = login as unknown as Record<string, (id: unknown) => Promise<unknown>>;
      const error = new TypeError('sessionId must be a text');
      for (const id of [undefined, null, '', {}, 5]) {
        await expect(calls[call]?.call(login, id)).rejects.toThrow(error);
      }
      expect([sent, sessions.size]).toEqual([[], 1]);
    },
  );

  test.each([undefined, null, {}, 'x'])('a store of sessions of %j', (sessions) => {
    const client = createClient({ baseUrl });
    const create = client.createLogin.bind(client) as (sessions: unknown) => unknown;
    expect(() => create(sessions)).toThrow('sessions must be a store, such as a Map');
  });
});

describe('C-14 without a service, a failure', () => {
  const REMEDY = 'Is the service up? Check baseUrl, http(s) and network.';

  test('names the origin and the reason, and nothing else of the address', async () => {
    const origin = `127.0.0.1:${await findFreePort()}`;
    const failure = await startFailing({ baseUrl: `http://me:word@${origin}/api/v1?key=word` });
    expect(failure).toMatchObject({
      code: 'client.network',
      detail: `http://${origin} was not reached (ECONNREFUSED).`,
      remedy: REMEDY,
      status: 0,
    });
  });

  test('names the origin where nothing says why, as in a browser', async () => {
    const error = new TypeError('Failed to fetch');
    const { detail } = await startFailing({ fetch: () => Promise.reject(error) });
    expect(detail).toBe('http://sign-in.test was not reached.');
  });

  test('in the middle of an answer says so', async () => {
    const cause = Object.assign(new Error('closed'), { code: 'UND_ERR_SOCKET' });
    const body = new ReadableStream({
      start: (stream) => stream.error(new TypeError('terminated', { cause })),
    });
    const failure = await startFailing({ fetch: () => Promise.resolve(new Response(body)) });
    expect(failure.detail).toBe('The connection broke (UND_ERR_SOCKET).');
    expect(failure.remedy).toBe(REMEDY);
  });

  test('of another answer has a remedy too', async () => {
    const page = new Response('<h1>Welcome</h1>');
    const failure = await startFailing({ fetch: () => Promise.resolve(page) });
    expect(failure).toMatchObject({ code: 'client.network', status: 200, remedy: REMEDY });
  });

  test('of the time has a remedy', async () => {
    const attempt = await clientOf(service()).start({ locale: 'en' });
    const failure = await failureOf(attempt.waitForResult({ timeout: 100 }));
    expect(failure.code).toBe('client.timeout');
    expect(failure.remedy).toBe('Is the service up? Wait longer.');
  });
});

describe('C-14 a failure has all that the service says', () => {
  test('about the members of a start, and not what was in them', async () => {
    const options = { locale: 'en', nationalId: '12345' };
    const failure = await failureOf(clientOf(service()).start(options));
    expect(failure.code).toBe('validation.failed');
    expect(failure.violations?.map(({ pointer }) => pointer)).toEqual(['/national_id']);
    expect(failure.problem?.errors?.['nationalId']).toEqual([expect.stringMatching(/\w/)]);
    expect(failure.problem?.requestId).toBe(failure.requestId);
    expect(JSON.stringify(failure)).toContain('/national_id');
    expect(JSON.stringify(failure)).not.toContain(options.nationalId);
  });

  test('once where nobody catches it, as Node prints it', async () => {
    const baseUrl = JSON.stringify(`${service().origin}/api/v1`);
    const program = `import { createClient } from '@miftah/client';
      await createClient({ baseUrl: ${baseUrl} }).start({ locale: 'en', nationalId: '12345' });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    const [printed] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    const shown = printed.slice(printed.indexOf('MiftahError: validation.failed: '));
    expect(shown.match(/The national id format is invalid/g)).toHaveLength(1);
    expect(shown).toMatch(/code: 'validation\.failed',\n +status: 422,/);
    expect(shown).toContain("violations: [ { pointer: '/national_id', code: 'format' } ]");
    expect(shown).toMatch(/remedy: '\w.*'/);
    expect(shown).toMatch(/requestId: '[\da-f-]{36}'/);
    expect(shown).not.toContain('undefined');
  });

  test('as JSON, with the sentence and the whole problem', async () => {
    const options = { locale: 'en', nationalId: UNKNOWN_NUMBER };
    const failure = await failureOf(clientOf(service()).start(options));
    const { code, status, detail, problem } = failure;
    const json: unknown = JSON.parse(JSON.stringify(failure));
    expect(json).toMatchObject({ name: 'MiftahError', code, status, detail, problem });
    expect(detail).toMatch(/\w/);
  });

  test("about the provider's error", async () => {
    const options = { locale: 'en', nationalId: UNKNOWN_NUMBER };
    const { code, problem } = await failureOf(clientOf(service()).start(options));
    expect(code).toBe('provider.record_not_found');
    expect(problem?.reference).toBeGreaterThan(0);
    expect(problem?.status).toBe(422);
  });
});
