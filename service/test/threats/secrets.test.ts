import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeApiToken } from '../../src/account/api-token.ts';
import { LiveClient, type Answer, type Started } from '../support/live/live-client.ts';
import { BANK_KEY, CLIENTS, SHOP_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';
import { BEHIND_PROXY, eachOf, somebody, times } from '../support/attacks/crowd.ts';
import { logIn, redeemed, signIn } from '../support/live/live-login.ts';

/** The key of a second back end, which tries to use what belongs to the first. */
const RIVAL_KEY = 'mfk_rival_0123456789abcdef';
const RIVAL = { ...CLIENTS.bank, id: 'rival', keys: [RIVAL_KEY] };

let rehearsal: OpenedRehearsal;
let bank: LiveClient;
let shop: LiveClient;
let nobody: LiveClient;
beforeAll(async () => {
  const clients = [...Object.values(CLIENTS), RIVAL];
  rehearsal = await openRehearsal({ clients, settings: BEHIND_PROXY });
  bank = new LiveClient(rehearsal, BANK_KEY);
  shop = new LiveClient(rehearsal, SHOP_KEY);
  nobody = new LiveClient(rehearsal, null);
});
afterAll(async () => rehearsal[Symbol.asyncDispose]());

const bearer = (token: string) => ({ ...somebody(), authorization: `Bearer ${token}` });
const basic = (id: string, key: string) => ({
  ...somebody(),
  authorization: `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`,
});
const hex = (bytes: number) => randomBytes(bytes).toString('hex');

const proof = (attemptToken: string) => ({
  ...somebody(),
  'x-provider-attempt-token': attemptToken,
});
const introspect = (key: string, token: string) =>
  nobody.post('/introspect', { token }, bearer(key));
const shown = ({ data }: Answer) => (data['user'] ?? {}) as Record<string, unknown>;

/** Everything that a caller can see of an answer, except values that differ in every answer. */
function visible({ status, headers, text }: Answer) {
  const seen = [...headers].filter(([name]) => name !== 'date');
  const id = headers.get('x-request-id') ?? '';
  const plain = (said: string) => said.replaceAll(id, 'ID').replaceAll(/;t=\d+/g, ';t=T');
  return { status, headers: seen.map(([name, value]) => [name, plain(value)]), text: plain(text) };
}

describe('threat 16: one kind of secret in the place of another', () => {
  it('is not taken, in no direction', async () => {
    const finished = await signIn(bank);
    const { started, code } = finished;
    const attemptToken = started.attempt_token;
    const as = (token: string) => ({ ...started, attempt_token: token });
    expect((await bank.status(as(code))).code).toBe('attempt.not_found');
    expect((await bank.redeem(as(code), { completion_code: code })).code).toBe('attempt.not_found');
    expect((await bank.redeem(started, { completion_code: attemptToken })).code).toBe(
      'attempt.completion_required',
    );
    const token = String((await redeemed(bank, finished)).data['token']);
    expect((await bank.status(as(token))).code).toBe('attempt.not_found');
    expect((await bank.redeem(as(token), { completion_code: code })).code).toBe(
      'attempt.not_found',
    );
    for (const other of [attemptToken, code, BANK_KEY, started.attempt_id]) {
      expect((await bank.user(other)).code).toBe('token.invalid');
    }
    const asKey = await nobody.post('/start', { locale: 'ar' }, bearer(token));
    expect(asKey.code).toBe('client.unauthenticated');
    expect((await bank.user(token)).status).toBe(200);
  });
});

const PAIRS = 250;

describe('threats 17 and 18: what an answer gives away of an attempt', () => {
  // This test compares the answers. Their times are compared by `npm run timing`, because its
  // statistics need an idle machine.
  const asked: readonly [string, (attempt: Started) => Promise<Answer>][] = [
    [
      'GET /status',
      ({ attempt_id, attempt_token }) => nobody.get(`/status/${attempt_id}`, proof(attempt_token)),
    ],
    ['POST /token', (attempt) => bank.redeem(attempt, {}, somebody())],
    [
      'POST /complete-mfa',
      ({ attempt_id, attempt_token }) =>
        bank.post('/complete-mfa', { attempt_id }, proof(attempt_token)),
    ],
  ];

  it.each(asked)(
    `of %s: ${PAIRS} wrong tokens and ${PAIRS} unknown attempts are answered alike`,
    async (_, ask) => {
      const started = await bank.startRedirect();
      const guesses = times(PAIRS).flatMap(() => [
        { ...started, attempt_token: hex(32) },
        { ...started, attempt_id: randomUUID() },
      ]);
      const answers = await eachOf(guesses, ask);
      const kinds = new Set(answers.map((answer) => JSON.stringify(visible(answer))));
      expect([...kinds]).toHaveLength(1);
      expect(answers[0]?.code).toBe('attempt.not_found');
      expect((await bank.status(started)).data['status']).toBe('pending');
    },
  );

  it('a right token is told from a wrong one, so that the tests above say something', async () => {
    const started = await bank.startRedirect();
    const wrong = await bank.redeem({ ...started, attempt_token: hex(32) }, {}, somebody());
    const right = await bank.redeem(started, {}, somebody());
    expect([wrong.code, right.code]).toEqual(['attempt.not_found', 'attempt.pending']);
    expect(visible(wrong)).not.toEqual(visible(right));
  });

  it("another client's key is worth no more than a wrong token", async () => {
    const finished = await signIn(bank);
    const unknown = { ...finished, started: { ...finished.started, attempt_id: randomUUID() } };
    const rival = new LiveClient(rehearsal, RIVAL_KEY);
    for (const stranger of [rival, shop, nobody]) {
      const known = await redeemed(stranger, finished);
      expect(known.code).toBe('attempt.not_found');
      expect(visible(known)).toEqual(visible(await redeemed(stranger, unknown)));
    }
    expect((await redeemed(bank, finished)).status).toBe(200);
  });
});

describe('threat 47: a bearer token anywhere but in its header', () => {
  let token: string;
  beforeAll(async () => void (token = await logIn(bank)));

  it.each([
    ['none', () => ({}), '', 401, 'Bearer'],
    ['in the address', () => ({}), '?access_token=TOKEN', 400, 'Bearer error="invalid_request"'],
    ['in both', () => bearer(token), '?access_token=TOKEN', 400, 'Bearer error="invalid_request"'],
    ['of nobody', () => bearer(makeToken()), '', 401, 'Bearer error="invalid_token"'],
    ['with a mistake', () => bearer(`${token}x`), '', 401, 'Bearer error="invalid_token"'],
    ['by another scheme', () => ({ authorization: `Basic ${token}` }), '', 401, 'Bearer'],
  ])('%s is refused', async (_, headers, query, status, challenge) => {
    const answer = await nobody.get(`/user${query.replace('TOKEN', token)}`, {
      ...somebody(),
      ...headers(),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
    expect(answer.text).not.toContain(token);
  });

  it('the name of the scheme may be in any case', async () => {
    const { status } = await nobody.get('/user', {
      ...somebody(),
      authorization: `bEARER ${token}`,
    });
    expect(status).toBe(200);
  });
});

function makeToken(): string {
  return makeApiToken('simulator', randomBytes(32)).reveal();
}

const STRANGERS = 1000;

describe('threat 49: introspection as a way to try out tokens', () => {
  it('needs the key of a client, which no API token is', async () => {
    const token = await logIn(bank);
    const without = await nobody.post('/introspect', { token }, somebody());
    expect(without.code).toBe('client.unauthenticated');
    for (const key of [token, makeToken(), `${BANK_KEY}x`]) {
      expect((await introspect(key, token)).code).toBe('client.unauthenticated');
    }
    expect((await introspect(BANK_KEY, token)).body).toMatchObject({ active: true });
  });

  it('takes Basic of the client whose key it is, and no other operation takes Basic', async () => {
    const finished = await signIn(bank);
    const { started } = finished;
    const token = await logIn(bank);
    const ask = (id: string, key: string) => nobody.post('/introspect', { token }, basic(id, key));
    expect((await ask('bank', BANK_KEY)).body).toMatchObject({ active: true });
    for (const [id, key] of [
      ['bank', RIVAL_KEY],
      ['rival', BANK_KEY],
      ['bank', token],
    ] as const) {
      expect((await ask(id, key)).code).toBe('client.unauthenticated');
    }
    const own = basic('bank', BANK_KEY);
    const remove = (path: string, headers = {}) =>
      nobody.send(path, { method: 'DELETE', headers: { ...own, ...headers } });
    const elsewhere = [
      await nobody.post('/start', { locale: 'en' }, own),
      await nobody.redeem(started, { completion_code: finished.code }, own),
      await remove(`/attempts/${started.attempt_id}`, proof(started.attempt_token)),
      await nobody.get('/user', own),
      await nobody.get('/tokens', own),
      await remove('/token'),
      await remove(`/tokens/${randomUUID()}`),
    ];
    const missing = elsewhere.slice(3).map(() => 'token.missing');
    expect(elsewhere.map(({ code }) => code)).toEqual([
      'client.unauthenticated',
      'attempt.not_found',
      'attempt.not_found',
      ...missing,
    ]);
    for (const { headers } of elsewhere) {
      expect(headers.get('www-authenticate') ?? '').not.toContain('Basic');
    }
    expect((await redeemed(bank, finished)).status).toBe(200);
  });

  it("of another client's token says what it says of none", async () => {
    const token = await logIn(bank);
    for (const key of [RIVAL_KEY, SHOP_KEY]) {
      expect((await introspect(key, token)).text).toBe('{"active":false}');
    }
    expect((await introspect(BANK_KEY, token)).body).not.toHaveProperty('national_id');
  });

  it(`of ${STRANGERS} tokens of nobody says the same`, async () => {
    const answers = await eachOf(times(STRANGERS), () => introspect(BANK_KEY, makeToken()));
    const kinds = new Set(answers.map((answer) => JSON.stringify(visible(answer))));
    expect([...kinds]).toHaveLength(1);
    expect(answers[0]?.text).toBe('{"active":false}');
  });
});

describe('two modes: what live mode shows of a person, and to whom', () => {
  it('a status has all ten members and names nobody, before the redemption and after', async () => {
    const finished = await signIn(shop, 'faisal');
    const before = shown(await shop.status(finished.started));
    const issued = await redeemed(shop, finished);
    const after = shown(await shop.status(finished.started));
    expect(before).toEqual({
      ...shown(issued),
      national_id: '2201',
      name: '',
      arabic_name: '',
      english_name: '',
    });
    expect(after).toEqual(before);
    expect(Object.keys(before)).toHaveLength(10);
  });

  it('only the holder of the token sees who it is', async () => {
    const issued = await redeemed(bank, await signIn(bank, 'faisal'));
    expect(shown(issued)).toMatchObject({ national_id: '1000002201' });
    const asked = await bank.user(String(issued.data['token']));
    expect(asked.data).toEqual({ ...shown(issued), client_id: 'bank' });
  });
});
