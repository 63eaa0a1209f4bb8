import { describe, expect, it } from 'vitest';
import {
  AMAL,
  bearer,
  dataOf,
  expectProblem,
  issuedOf,
  readStatus,
  redeem,
  startedOf,
  statusOf,
  type Headers,
} from '../support/service/login.ts';
import {
  openTestService,
  shareService,
  type TestService,
} from '../support/service/test-service.ts';

/** What a test chooses by the headers of a start, in simulator mode. */

const plain = shareService();
const strict = shareService({ STRICT: 'yes', PUBLIC_URL: 'http://localhost:3000' });
const KEY = bearer('mfk_test_simulator');

function start(service: TestService, headers: Headers, body: object = { national_id: AMAL }) {
  return service.post('/start', { locale: 'en', ...body }, { ...KEY, ...headers });
}

async function chosen(service: TestService, simulate: string) {
  return startedOf(await start(service, { 'x-simulate': simulate }));
}

describe('X-Simulate', () => {
  it('chooses what the person does, whoever it is', async () => {
    const refused = await chosen(plain(), 'refuses');
    expect(await statusOf(plain(), refused)).toBe('rejected');
    const approved = await chosen(plain(), 'approves_at_once');
    expect(issuedOf(await redeem(plain(), approved)).user.national_id).toBe(AMAL);
  });

  it('wins over the outcome of a reserved number', async () => {
    const headers = { 'x-simulate': 'refuses' };
    const body = { national_id: '1900000031' };
    const started = startedOf(await start(plain(), headers, body));
    expect(await statusOf(plain(), started)).toBe('rejected');
  });

  it('says when the person acts', async () => {
    const service = await openTestService();
    const started = await chosen(service, 'refuses;after=3');
    service.clock.advance(2999);
    expect(await statusOf(service, started)).toBe('pending');
    service.clock.advance(1);
    expect(await statusOf(service, started)).toBe('rejected');
  });

  it('is known after a restart', async () => {
    const service = await openTestService();
    const started = await chosen(service, 'approves_at_once;after=10');
    const { dataDir, clock } = service;
    await service.close();
    const again = await openTestService({ dataDir, clock });
    clock.advance(9999);
    expect(await statusOf(again, started)).toBe('pending');
    clock.advance(1);
    expect(dataOf(await readStatus(again, started))['status']).toBe('authenticated');
  });
});

const WRONG: readonly (readonly [header: string, value: string, allowed: RegExp])[] = [
  ['x-simulate', '', /one of approves_at_once, .*result_without_names\.$/],
  ['x-simulate', 'refuse', /one of approves_at_once, .*\. Did you mean "refuses"\?$/],
  ['x-simulate', 'refuses, refuses', /one of approves_at_once, /],
  ['x-simulate', 'constructor', /one of approves_at_once, /],
  ['x-simulate', 'refuses;after=', /whole number of seconds from 0 to 300/],
  ['x-simulate', 'refuses;after=-1', /whole number of seconds from 0 to 300/],
  ['x-simulate', 'refuses;after=1.5', /whole number of seconds from 0 to 300/],
  ['x-simulate', 'refuses;after=301', /whole number of seconds from 0 to 300/],
  ['x-simulate', 'refuses;before=3', /whole number of seconds from 0 to 300/],
  ['x-simulate', 'never_answers;after=3', /with one of approves_at_once, /],
  ['x-simulate', 'provider_error_500;after=3', /with one of approves_at_once, /],
  ['x-simulate', 'x'.repeat(5000), /one of approves_at_once, /],
  ['x-miftah-scope', '', /1 to 64 of the characters/],
  ['x-miftah-scope', 'Team', /1 to 64 of the characters/],
  ['x-miftah-scope', 'a, b', /1 to 64 of the characters/],
  ['x-miftah-scope', 'a'.repeat(65), /1 to 64 of the characters/],
];

describe.each([
  ['simulator mode', plain],
  ['strict mode', strict],
])('in %s', (_mode, service) => {
  it.each(WRONG)('%s: %o is refused with what is allowed', async (header, value, allowed) => {
    const problem = expectProblem(await start(service(), { [header]: value }), 'validation.failed');
    expect(problem.message).toMatch(allowed);
    const named = { 'x-simulate': 'X-Simulate', 'x-miftah-scope': 'X-Miftah-Scope' }[header];
    expect(problem['violations']).toEqual([{ pointer: '', code: 'format', header: named }]);
  });

  it('names only what a browser can do where a browser is to sign in', async () => {
    const answer = await start(service(), { 'x-simulate': 'wrong_number' }, {});
    const { message } = expectProblem(answer, 'validation.failed');
    expect(message).toMatch(/a sign-in by browser use one of approves_at_once, /);
    expect(message).not.toMatch(/wrong_number|callback_|active_transaction/);
  });

  it('says so in Arabic too', async () => {
    const arabic = { locale: 'ar' };
    const answer = await start(service(), { 'x-simulate': 'no' }, arabic);
    expect(expectProblem(answer, 'validation.failed').message).toMatch(/^صيغة .*X-Simulate.*إحدى/);
  });
});

it('the description of the API names both headers', async () => {
  const document = await plain().request({ method: 'GET', url: '/openapi.json' });
  const { paths } = document.json<{
    paths: Record<string, { post: { parameters: { name: string; in: string }[] } }>;
  }>();
  const parameters = paths['/api/v1/start']?.post.parameters ?? [];
  const named = parameters.map(({ name, in: where }) => [name, where]);
  expect(named).toContainEqual(['X-Simulate', 'header']);
  expect(named).toContainEqual(['X-Miftah-Scope', 'header']);
});
