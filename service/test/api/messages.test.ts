import { expect, it } from 'vitest';
import {
  AMAL,
  approveInBrowser,
  expectProblem,
  redeem,
  startRedirect,
} from '../support/service/login.ts';
import { KEY, returnFrom, startStrict, STRICT } from '../support/service/strict-login.ts';
import { shareService, type Answer } from '../support/service/test-service.ts';

/** What the detail of an error says about the request, so that nobody has to look for the mistake. */

const plain = shareService();
const strict = shareService(STRICT);

const send = (payload: string, path = '/start'): Promise<Answer> =>
  plain().request({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { 'content-type': 'application/json', 'accept-language': 'en' },
    payload,
  });

const start = (body: object) => send(JSON.stringify(body));

const WHERE = 'CLIENTS_FILE lists them under return_addresses.';
const UNLISTED = 'The return address is not one of those registered for this client: ';

it.each<readonly [what: string, code: 400 | 422, detail: string, send: () => Promise<Answer>]>([
  [
    'at which line and column JSON breaks',
    400,
    'The request body is not valid JSON. It breaks at line 2, column 17.',
    () => send('{\n  "locale": "en",\n}'),
  ],
  [
    'at which column JSON ends too early',
    400,
    'The request body is not valid JSON. It breaks at line 1, column 31.',
    () => send('{"locale":"en","national_id":"'),
  ],
  ['that a body is empty', 400, 'The request body is not valid JSON. It is empty.', () => send('')],
  [
    'which member was meant',
    422,
    'The nationalId field is not known here. Did you mean "national_id"?',
    () => start({ locale: 'en', nationalId: AMAL }),
  ],
  [
    'which member was meant by two letters that changed places',
    422,
    'The retrun_address field is not known here. Did you mean "return_address"?',
    () => start({ locale: 'en', retrun_address: 'http://localhost/' }),
  ],
  [
    'which members there are, where none is similar',
    422,
    'The phone field is not known here: known are national_id, locale, return_address.',
    () => start({ locale: 'en', phone: AMAL }),
  ],
  [
    'which return addresses are allowed',
    422,
    `${UNLISTED}allowed are http://127.0.0.1:3000/dashboard, and any of this machine ` +
      `(localhost, 127.0.0.1, [::1]). ${WHERE}`,
    () => start({ locale: 'en', return_address: 'https://a.test/' }),
  ],
  ...['a.test:8080/cb', '127.0.0.1:8080', 'localhost'].map(
    (address) =>
      [
        `that a return address has no scheme: ${address}`,
        422,
        `${UNLISTED}it has to begin with http:// or https://.`,
        () => start({ locale: 'en', return_address: address }),
      ] as const,
  ),
])('an error says %s', async (_, status, detail, ask) => {
  const answer = await ask();
  const code = status === 400 ? 'request.malformed_json' : 'validation.failed';
  expect(expectProblem(answer, code)).toMatchObject({ status, detail });
  // Names of members are repeated, and no value, which may be of a person.
  for (const value of [AMAL, 'a.test']) expect(answer.payload).not.toContain(value);
});

it('the line of the log of a refused request has its code, and that of another has none', async () => {
  const { logLines } = plain();
  const before = logLines.length;
  await start({ locale: 'en', nationalId: AMAL });
  await start({ locale: 'en' });
  await plain().get('/callback?state=x');
  const lines = logLines.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
  const requests = lines.filter(({ msg }) => msg === 'request');
  expect(requests).toMatchObject([
    { status: 422, code: 'validation.failed' },
    { status: 200 },
    // A page for a person is a refusal too.
    { status: 404, code: 'attempt.not_found' },
  ]);
  expect(requests[1]).not.toHaveProperty('code');
});

it('an error says the range of a number', async () => {
  const started = await startRedirect(plain());
  const answer = await plain().get(`/status/${started.attempt_id}?wait=26`, {
    'x-provider-attempt-token': started.attempt_token,
    'accept-language': 'en',
  });
  expect(expectProblem(answer, 'validation.failed')['detail']).toBe(
    'The wait format is invalid: use a whole number from 0 to 25.',
  );
});

it('strict mode tells the return addresses of a client whose key is shown', async () => {
  const body = { locale: 'en', return_address: 'https://a.test/' };
  const answer = await strict().post('/start', body, { ...KEY, 'accept-language': 'en' });
  expect(expectProblem(answer, 'validation.failed')['detail']).toContain(
    `${UNLISTED}allowed are http://localhost:3000/dashboard, and any of this machine`,
  );
});

const FINISH = 'The sign-in must be finished in the browser where it began.';

it('a wrong completion code is told from a missing one, with the tries that are left', async () => {
  const started = await startStrict(strict());
  await returnFrom(strict(), started);
  const tell = async (more: object, language = 'en') => {
    const headers = { ...KEY, 'accept-language': language };
    const body = { attempt_token: started.attempt_token, ...more };
    const answer = await strict().post(`/token/${started.attempt_id}`, body, headers);
    return expectProblem(answer, 'attempt.completion_required')['detail'];
  };
  const wrong = { completion_code: 'wrong' };
  expect(await tell({})).toBe(`${FINISH} This request has no completion_code.`);
  for (const left of [4, 3, 2]) {
    expect(await tell(wrong)).toBe(
      `${FINISH} Its completion_code is wrong, or older than two minutes. Tries left: ${left}.`,
    );
  }
  expect(await tell(wrong, 'ar')).toContain('المرات المتبقية: 1.');
  expect(await tell(wrong)).toBe(
    `${FINISH} Its completion_code is wrong, and it was the last try: the attempt has ended.`,
  );
});

it('nobody without the attempt’s token is told anything of its code', async () => {
  const started = await startRedirect(plain());
  await approveInBrowser(plain(), started);
  const stranger = { ...started, attempt_token: 'x'.repeat(64) };
  const answers = await Promise.all(
    [{}, { completion_code: 'wrong' }].map((more) => redeem(plain(), stranger, more)),
  );
  const details = answers.map((answer) => expectProblem(answer, 'attempt.not_found')['detail']);
  expect(new Set(details).size).toBe(1);
});

it('strict mode names the key of the client beside an attempt that is not found', async () => {
  const started = await startStrict(strict());
  const detail = async (attempt: typeof started, headers: object) => {
    const language = { 'accept-language': 'en', ...headers };
    const body = { attempt_token: attempt.attempt_token };
    const answer = await strict().post(`/token/${attempt.attempt_id}`, body, language);
    return expectProblem(answer, 'attempt.not_found')['detail'];
  };
  const other = { ...started, attempt_token: 'x'.repeat(64) };
  const keyless = [await detail(started, {}), await detail(other, {})];
  expect(new Set(keyless)).toEqual(
    new Set([
      'Attempt not found. Or the client that started it has a key, and this request has none ' +
        'that is known.',
    ]),
  );
  expect(await detail(other, KEY)).toBe('Attempt not found.');
});

it.each([
  ['https://elsewhere.example.test:8443', ' Its origin is https://elsewhere.example.test:8443.'],
  [`https://${'a'.repeat(101)}`, ''],
  ['https://<b>', ''],
])('a page that may not use the service is told its origin: %s', async (origin, told) => {
  const headers = { origin, 'sec-fetch-site': 'cross-site', 'accept-language': 'en' };
  const answer = await plain().post('/start', { locale: 'en' }, headers);
  expect(expectProblem(answer, 'origin.refused')['detail']).toBe(
    `This page may not use the service.${told}`,
  );
});
