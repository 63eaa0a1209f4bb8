import { Duplex } from 'node:stream';
import { ATTEMPT_LIFETIME_MS } from '../../../src/attempt/attempt.ts';
import type { ErrorCode } from '../../../src/errors/catalogue.ts';
import { Refusal } from '../../../src/errors/refusal.ts';
import type { Locale } from '../../../src/values/locale.ts';
import { createMemoryStore } from '../../../src/store/index.ts';
import {
  bearer,
  cancel,
  login,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
  type Json,
  type Started,
} from './login.ts';
import { parseAnswer, sendRaw } from './raw-request.ts';
import { BASE, openTestService, type Answer, type TestService } from './test-service.ts';

/** How a client can provoke each error of the catalogue in simulator mode. */

export interface Shown {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The services for one language: one without rate limits, and one with them. */
export interface Scene {
  readonly service: TestService;
  readonly locale: Locale;
}

type Provocation = (scene: Scene) => Promise<Shown>;

const PROOF_DEADLINE_MS = 30_000;

/** Codes that no request can provoke in simulator mode, and why. */
export const UNREACHABLE = {
  'attempt.already_completed':
    'a second completion succeeds in simulator mode; in live mode a second sign-in may disagree',
  'assurance.insufficient': 'simulator mode asks for no level of assurance',
  'push.unverified': 'simulator mode has no address that a provider pushes results to',
  'callback.browser_mismatch': 'simulator mode binds no browser: test/live/redirect.test.ts',
  'simulator.disabled': 'this is simulator mode: test/live/doors.test.ts',
  'flow.unavailable': 'simulator mode has both flows: test/live/doors.test.ts',
  'server.clock_ahead': 'simulator mode starts all the same: test/threats/machine-clock.test.ts',
  'user.disabled': 'nobody is disabled in simulator mode but by the operator',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Codes that are never an answer: they are the reason of an ended attempt, in its status. */
export const ENDS = {
  'provider.mismatch': endOf('1900000053'),
  'provider.identity_missing': endOf('1900000042', PROOF_DEADLINE_MS),
} as const satisfies Partial<Record<ErrorCode, Provocation>>;

type Reachable = Exclude<ErrorCode, keyof typeof UNREACHABLE | keyof typeof ENDS>;

const KEY = '0123456789abcdefghijkl';
const CODE = { completion_code: 'wrong' };

export const PROVOCATIONS: Readonly<Record<Reachable, Provocation>> = {
  'attempt.token_missing': ({ service, locale }) => get(service, '/status/x', locale),
  'attempt.not_found': async (scene) => {
    const started = await startRedirect(scene.service);
    return redeemed(scene, { ...started, attempt_token: 'wrong' });
  },
  'attempt.expired': async (scene) => {
    const started = await startCompleted(scene.service);
    scene.service.clock.advance(ATTEMPT_LIFETIME_MS);
    return redeemed(scene, started);
  },
  'attempt.pending': async (scene) => redeemed(scene, await startRedirect(scene.service)),
  'attempt.rejected': async (scene) =>
    redeemed(scene, await startPhone(scene.service, '1900000010')),
  'attempt.cancelled': async (scene) => {
    const started = await startPhone(scene.service);
    await cancel(scene.service, started);
    return redeemed(scene, started);
  },
  'attempt.failed': async (scene) => {
    const started = await startCompleted(scene.service);
    for (let count = 0; count < 5; count += 1) await redeem(scene.service, started, CODE);
    return redeemed(scene, started);
  },
  'attempt.wrong_flow': async ({ service, locale }) => {
    const { attempt_id } = await startPhone(service);
    return post(service, '/callback', { state: attempt_id, auto_complete: true }, locale);
  },
  'attempt.already_redeemed': async (scene) => {
    const started = await startCompleted(scene.service);
    await redeem(scene.service, started);
    return redeemed(scene, started);
  },
  'attempt.completion_required': async (scene) =>
    redeemed(scene, await startCompleted(scene.service), CODE),
  'idempotency.mismatch': async (scene) => {
    const started = await startCompleted(scene.service);
    const headers = { 'idempotency-key': KEY };
    await redeem(scene.service, started, {}, headers);
    return redeemed(scene, started, { device_name: 'another' }, headers);
  },

  'validation.failed': ({ service, locale }) =>
    post(service, '/start', { national_id: '12', locale, extra: 1 }, locale),
  'request.malformed_json': (scene) => sendBody(scene, '{'),
  'request.malformed': (scene) => sendBody(scene, '{"locale":"ar"}', { 'content-length': '3' }),
  'request.too_complex': (scene) => sendBody(scene, '['.repeat(9) + ']'.repeat(9)),
  'request.too_large': (scene) => sendBody(scene, ' '.repeat(20_000)),
  'request.headers_too_large': ({ service }) =>
    raw(service, `GET / HTTP/1.1\r\nHost: localhost\r\na: ${'a'.repeat(20_000)}\r\n\r\n`),
  'request.timeout': async ({ service }) => showTimeout(service),
  'request.content_unexpected': async ({ service, locale }) => {
    const { attempt_id, attempt_token } = await startRedirect(service);
    const headers = { 'x-provider-attempt-token': attempt_token, 'content-length': '1' };
    return get(service, `/status/${attempt_id}/events`, locale, headers);
  },
  'request.unsupported_media_type': (scene) =>
    sendBody(scene, 'x', { 'content-type': 'text/plain' }),
  'request.method_not_allowed': ({ service, locale }) => get(service, '/start', locale),
  'request.misdirected': (scene) => sendBody(scene, '{}', { host: 'elsewhere.test' }),
  'request.cross_site': async ({ service, locale }) =>
    show(
      await service.request({
        method: 'POST',
        url: `${BASE}/callback/sign-in`,
        headers: { 'sec-fetch-site': 'cross-site', 'accept-language': locale },
      }),
    ),
  'origin.refused': (scene) => sendBody(scene, '{}', { origin: 'https://elsewhere.test' }),
  'route.not_found': ({ service, locale }) => get(service, '/nothing', locale),
  rate_limited: async ({ locale }) => {
    const service = await openTestService();
    for (let count = 0; count < 20; count += 1) await startRedirect(service);
    return post(service, '/start', { locale }, locale);
  },

  'client.unauthenticated': ({ service, locale }) =>
    post(service, '/introspect', { token: 'x' }, locale),
  'token.missing': ({ service, locale }) => get(service, '/user', locale),
  'token.in_address': ({ service, locale }) => get(service, '/user?access_token=x', locale),
  'token.invalid': ({ service, locale }) => get(service, '/user', locale, bearer('x')),
  'token.not_found': async ({ service, locale }) => {
    const { token } = await login(service);
    const headers = { ...bearer(token), 'accept-language': locale };
    return show(await service.remove('/tokens/x', headers));
  },

  'stream.limit_reached': async ({ locale }) => {
    const service = await openTestService({ settings: { WAITERS_MAX: '0' } });
    const { attempt_id, attempt_token } = await startRedirect(service);
    const proof = { 'x-provider-attempt-token': attempt_token };
    return get(service, `/status/${attempt_id}/events`, locale, proof);
  },
  'push.budget_spent': startWith('1900000020'),
  'provider.record_not_found': startWith('1900000021'),
  'provider.misconfigured': startWith('1900000030'),
  'provider.unavailable': startWith('1900000032'),
  'provider.timeout': startWith('1900000033'),
  'provider.bad_response': startWith('1900000034'),

  'storage.unavailable': startOn('storage.unavailable'),
  'storage.outcome_unknown': startOn('storage.outcome_unknown'),
  'server.overloaded': startOn('server.overloaded'),
  'server.error': async ({ locale }) => {
    const service = await openWithFaultyStore(new Error('a fault of our own'));
    return post(service, '/start', { locale }, locale);
  },
};

/** A service whose store refuses to write. */
export function openWithFaultyStore(fault: Error): Promise<TestService> {
  const store = createMemoryStore();
  store.insertAttempt = () => Promise.reject(fault);
  return openTestService({ parts: { openStore: () => Promise.resolve(store) } });
}

function startWith(nationalId: string): Provocation {
  return ({ service, locale }) =>
    post(service, '/start', { national_id: nationalId, locale }, locale);
}

/** The status of an attempt for this number, after this time. */
function endOf(nationalId: string, afterMs = 0): Provocation {
  return async ({ service, locale }) => {
    const { attempt_id, attempt_token } = await startPhone(service, nationalId, locale);
    service.clock.advance(afterMs);
    const headers = { 'x-provider-attempt-token': attempt_token };
    return show(await service.get(`/status/${attempt_id}`, headers));
  };
}

function startOn(code: ErrorCode): Provocation {
  return async ({ locale }) => {
    const service = await openWithFaultyStore(new Refusal(code, { retryAfterSeconds: 1 }));
    return post(service, '/start', { locale }, locale);
  };
}

async function get(service: TestService, path: string, locale: Locale, headers: object = {}) {
  return show(await service.get(path, { 'accept-language': locale, ...headers }));
}

async function post(service: TestService, path: string, body: Json, locale: Locale) {
  return show(await service.post(path, body, { 'accept-language': locale }));
}

async function redeemed(
  { service, locale }: Scene,
  started: Pick<Started, 'attempt_id' | 'attempt_token'>,
  members: Json = {},
  headers: Record<string, string> = {},
): Promise<Shown> {
  return show(await redeem(service, started, members, { 'accept-language': locale, ...headers }));
}

async function sendBody(
  { service, locale }: Scene,
  payload: string,
  headers: Record<string, string> = {},
): Promise<Shown> {
  const usual = { 'content-type': 'application/json', 'accept-language': locale };
  return show(
    await service.request({
      method: 'POST',
      url: `${BASE}/start`,
      headers: { ...usual, ...headers },
      payload,
    }),
  );
}

async function raw(service: TestService, bytes: string): Promise<Shown> {
  const { status, headers, body } = await sendRaw(service, bytes);
  return { status, headers: Object.fromEntries(headers), body };
}

/** Simulates what Node does when a client is too slow, without waiting. */
function showTimeout({ app }: TestService): Shown {
  let written = '';
  const socket = new Duplex({
    read: () => undefined,
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  app.server.emit('clientError', late, socket);
  const { status, headers, body } = parseAnswer(written);
  return { status, headers: Object.fromEntries(headers), body };
}

export function show({ statusCode, headers, payload }: Answer): Shown {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status: statusCode, headers: Object.fromEntries(entries), body: payload };
}
