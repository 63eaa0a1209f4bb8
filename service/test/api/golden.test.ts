import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LOCALES } from '../../src/values/locale.ts';
import { ledTo } from '../support/led-to.ts';
import { Namer, type GoldenReply } from '../support/service/golden.ts';
import {
  bearer,
  complete,
  issuedOf,
  postSignIn,
  readStatus,
  redeem,
  startedOf,
} from '../support/service/login.ts';
import { PROVOCATIONS, show, type Shown } from '../support/service/provocations.ts';
import {
  openTestService,
  shareService,
  type Answer,
  type TestService,
} from '../support/service/test-service.ts';

/**
 * Whole replies (status, headers and body), stored in golden/. If one changes, clients see a
 * change: check the difference, then store the replies again with
 *
 * npx vitest run service/test/api/golden.test.ts -u
 */

const uncounted = shareService();
const FILES = [
  ...['redirect', 'browser', 'phone'].map((name) => `${name}-login.json`),
  ...LOCALES.map((locale) => `errors.${locale}.json`),
];

const fileOf = (name: string) => new URL(`golden/${name}`, import.meta.url).pathname;

async function expectGolden(name: string, replies: unknown): Promise<void> {
  await expect(`${JSON.stringify(replies, null, 2)}\n`).toMatchFileSnapshot(fileOf(name));
}

type Steps = readonly (readonly [title: string, answer: Answer])[];

function storyOf(steps: Steps): Record<string, GoldenReply> {
  const namer = new Namer();
  return Object.fromEntries(
    steps.map(([title, answer]) => [title, namer.reply(withoutPage(show(answer)))]),
  );
}

/** Pages have other tests, and they change with every change of the stylesheet. */
function withoutPage(shown: Shown): Shown {
  const isPage = shown.headers['content-type']?.startsWith('text/html') === true;
  return isPage ? { ...shown, body: '<page>' } : shown;
}

/** What a client does once it has a token. */
async function useToken(service: TestService, issued: Answer): Promise<Steps> {
  const { token } = issuedOf(issued);
  const key = bearer('mfk_test_simulator');
  return [
    ['GET /user', await service.get('/user', bearer(token))],
    ['GET /tokens', await service.get('/tokens', bearer(token))],
    ['POST /introspect', await service.post('/introspect', { token }, key)],
    ['DELETE /token', await service.remove('/token', bearer(token))],
    ['POST /introspect, afterwards', await service.post('/introspect', { token }, key)],
  ];
}

async function logIn(service: TestService, body: object): Promise<Steps> {
  const start = await service.post('/start', body);
  const started = startedOf(start);
  const before = await readStatus(service, started);
  const completion = await complete(service, started);
  const after = await readStatus(service, started);
  const token = await redeem(service, started, { device_name: 'My phone' });
  return [
    ['POST /start', start],
    ['GET /status, pending', before],
    ['the completion', completion],
    ['GET /status, authenticated', after],
    ['POST /token', token],
    ...(await useToken(service, token)),
  ];
}

it('a login by redirect', async () => {
  const service = await openTestService();
  await expectGolden('redirect-login.json', storyOf(await logIn(service, { locale: 'ar' })));
});

it('a login by phone', async () => {
  const service = await openTestService();
  const body = { national_id: '2000005501', locale: 'en' };
  await expectGolden('phone-login.json', storyOf(await logIn(service, body)));
});

it('a login in the browser', async () => {
  const service = await openTestService();
  const start = await service.post('/start', { locale: 'en' });
  const started = startedOf(start);
  const form = { state: started.attempt_id, person: 'siobhan', decision: 'approve' };
  const back = await postSignIn(service, form);
  const { searchParams } = new URL(String(ledTo(back.headers)));
  const completion_code = searchParams.get('completion_code');
  const token = await redeem(service, started, { completion_code });
  const steps: Steps = [
    ['POST /start', start],
    ['POST /callback/sign-in', back],
    ['POST /token', token],
  ];
  await expectGolden('browser-login.json', storyOf(steps));
});

it.each(LOCALES)('every error, in the language %s', async (locale) => {
  const replies: Record<string, GoldenReply> = {};
  for (const [code, provoke] of Object.entries(PROVOCATIONS)) {
    const shown = await provoke({ service: uncounted(), locale });
    replies[code] = new Namer().reply(withoutPage(shown));
  }
  await expectGolden(`errors.${locale}.json`, replies);
});

it('no golden file is left over', () => {
  expect(readdirSync(fileOf('.')).toSorted()).toEqual(FILES.toSorted());
});
