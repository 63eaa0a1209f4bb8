import { expect, it, vi } from 'vitest';
import { createClient } from '../client.ts';
import { MiftahError } from '../error.ts';
import { signInForPassport, type PassportActions, type PassportRequest } from './passport.ts';

/** What Passport is told. The library itself is tried in service/test/auth-libraries. */

const APP = 'https://shop.example';
const UNKNOWN = { code: 'provider.record_not_found', status: 404 };
const MISTYPED = { code: 'validation.failed', status: 422, violations: violation('/national_id') };
const MISSET = { code: 'validation.failed', status: 422, violations: violation('/return_address') };

function violation(pointer: string) {
  return [{ pointer, code: 'format' }];
}

/** A service that refuses every start so. */
function refusing({ status, ...problem }: { readonly code: string; readonly status: number }) {
  const headers = { 'content-type': 'application/problem+json' };
  const said = {
    type: '/errors/x',
    title: 'No',
    status,
    detail: 'No.',
    message: 'No.',
    ...problem,
  };
  return async () => new Response(JSON.stringify(said), { status, headers });
}

function actions() {
  return {
    success: vi.fn<PassportActions['success']>(),
    fail: vi.fn<PassportActions['fail']>(),
    error: vi.fn<PassportActions['error']>(),
    pass: vi.fn<PassportActions['pass']>(),
  };
}

async function* none() {}

function request(url: string, more: Partial<PassportRequest> = {}): PassportRequest {
  const headers = { origin: APP, 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'national_id=1000001101';
  const res = { appendHeader: vi.fn<() => void>() } as unknown as PassportRequest['res'];
  const chunks = { [Symbol.asyncIterator]: none };
  return { method: 'POST', url, headers, body, readableEnded: true, res, ...chunks, ...more };
}

async function told(fetch: typeof globalThis.fetch, asked: PassportRequest) {
  const client = createClient({ baseUrl: 'https://login.example/api/v1', fetch });
  const secret = 'a secret of this test, which is long enough';
  const made = actions();
  const strategy = signInForPassport({ client, appUrl: APP, secret });
  await strategy.authenticate.call(made, asked);
  return Object.entries(made).flatMap(([name, { mock }]) =>
    mock.calls.map((given: readonly unknown[]) => [name, given[0]] as const),
  );
}

it.each([
  ['an unknown number', UNKNOWN, 'provider.record_not_found'],
  ['a mistyped number', MISTYPED, 'validation.failed'],
  ['too many starts', { code: 'rate_limited', status: 429 }, 'rate_limited'],
])('Passport is told of %s as of a failure', async (_, refusal, message) => {
  const [one, ...more] = await told(refusing(refusal), request('/sign-in/start'));
  expect([one, more]).toMatchObject([['fail', { message, end: { outcome: 'refused' } }], []]);
});

it.each([
  ['a wrong key', { code: 'client.unauthenticated', status: 401 }],
  ['an address that is not registered', MISSET],
  ['a provider that is down', { code: 'provider.unavailable', status: 503 }],
])('Passport is told of %s as of an error', async (_, refusal) => {
  const said = await told(refusing(refusal), request('/sign-in/start'));
  expect(said).toEqual([['error', expect.any(MiftahError)]]);
});

it('Passport goes on with a request that is none of the sign-in’s', async () => {
  expect(await told(refusing(UNKNOWN), request('/account'))).toEqual([['pass', undefined]]);
});

it('Passport is told that a request without its answer is not of Express', async () => {
  const said = await told(refusing(UNKNOWN), request('/sign-in/start', { res: undefined }));
  expect(said).toEqual([['error', expect.objectContaining({ name: 'TypeError' })]]);
});
