import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { LiveClient, type Answer, type Started } from '../support/live/live-client.ts';
import { BANK_KEY, rehearse, type Rehearsal } from '../support/live/rehearsal.ts';
import { BEHIND_PROXY, eachOf, somebody } from '../support/attacks/crowd.ts';
import { DatabaseCopy } from '../support/attacks/database-copy.ts';
import { logIn, signIn } from '../support/live/live-login.ts';
import { OWN_SECRET } from '../support/live/steps.ts';

let rehearsal: Rehearsal;
let bank: LiveClient;
beforeAll(async () => {
  rehearsal = await rehearse({ settings: BEHIND_PROXY });
  bank = new LiveClient(rehearsal, BANK_KEY);
});
afterAll(async () => rehearsal[Symbol.asyncDispose]());

const JSON_BODY = { 'content-type': 'application/json' };
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' };
const KEY = { authorization: `Bearer ${BANK_KEY}` };

function sendJson(path: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  const all = { ...JSON_BODY, ...KEY, ...somebody(), ...headers };
  return bank.send(path, { method: 'POST', headers: all, body });
}

function sendForm(path: string, fields: Readonly<Record<string, string>>) {
  const body = new URLSearchParams(fields).toString();
  const headers = { ...FORM_BODY, ...somebody(), origin: rehearsal.origins.service };
  return bank.send(path, { method: 'POST', headers, body });
}

describe('threat 37: members that are no data', () => {
  it.each([
    ['{"locale":"en","__proto__":{"status":"authenticated","polluted":true}}'],
    ['{"locale":"en","constructor":{"prototype":{"polluted":true}}}'],
    ['{"__proto__":{"locale":"en"}}'],
    ['{"locale":"en","status":"authenticated"}'],
    ['{"locale":"en","user_id":1,"token_ready":true}'],
    ['{"locale":"en","client":"rival"}'],
    ['{"locale":"en","expires_at":"2099-01-01T00:00:00+00:00"}'],
    ['{"locale":"en","national_id":{"$gt":""}}'],
    ['{"locale":"en","national_id":["1000001101"]}'],
    ['{"locale":"en","national_id":1000001101}'],
    ['{"locale":{"toString":"en"}}'],
    ['{"locale":["en"]}'],
    ['{"locale":"en","return_address":{"0":"h"}}'],
    ['["en"]'],
  ])('a start with %s is 422', async (body) => {
    const answer = await sendJson('/start', body);
    expect([answer.status, answer.code]).toEqual([422, 'validation.failed']);
  });

  it.each([
    ['{"attempt_token":{"$ne":null}}'],
    ['{"attempt_token":["TOKEN"]}'],
    ['{"attempt_token":"TOKEN","completion_code":{"$ne":""}}'],
    ['{"attempt_token":"TOKEN","completion_code":null}'],
    ['{"attempt_token":"TOKEN","__proto__":{"completion_code":"x"}}'],
    ['{"attempt_token":"TOKEN","status":"authenticated"}'],
    ['{"attempt_token":"TOKEN","device_name":{"length":1}}'],
  ])('a redemption with %s is 422, and the attempt stays as it is', async (body) => {
    const started = await bank.startRedirect();
    const sent = body.replace('TOKEN', started.attempt_token);
    const answer = await sendJson(`/token/${started.attempt_id}`, sent);
    expect([answer.status, answer.code]).toEqual([422, 'validation.failed']);
    expect((await bank.status(started)).data['status']).toBe('pending');
  });

  it('leaves nothing behind: later answers are as they were', async () => {
    const started = await bank.startRedirect();
    const before = await bank.status(started);
    const poisons = [
      '{"locale":"en","__proto__":{"polluted":true,"user":{"id":1},"status":"authenticated"}}',
      '{"locale":"en","constructor":{"prototype":{"polluted":true,"token_ready":true}}}',
    ];
    for (const poison of poisons) {
      await sendJson('/start', poison);
      await sendJson('/introspect', poison);
      await sendJson(`/token/${started.attempt_id}`, poison);
      await sendJson('/provider/mfa-callback', poison);
    }
    await sendForm('/callback/launch', {
      '__proto__[polluted]': '1',
      __proto__: '1',
      state: 'x',
      secret: OWN_SECRET,
    });
    const after = await bank.status(started);
    expect(after.body).toEqual(before.body);
    expect(Object.keys(after.data)).toEqual(Object.keys(before.data));
    expect(after.text).not.toContain('polluted');
  });
});

const QUOTES = ["'", '"', '`', "')", '"))', "\\'", '%27', '\u02bc', '\u0000', ''];
const INJECTIONS = [
  ' OR 1=1',
  ' OR 1=1--',
  " OR ''='",
  '; DROP TABLE attempts; --',
  '; DELETE FROM users; --',
  ' UNION SELECT token_digest FROM api_tokens --',
  ' UNION ALL SELECT NULL,NULL,NULL --',
  ' AND (SELECT count(*) FROM users) > 0 --',
  "||(SELECT national_id FROM users LIMIT 1)||'",
  "; ATTACH DATABASE 'stolen.db' AS x; --",
  "; UPDATE attempts SET authenticated_at=1 WHERE ''='",
  ' LIKE %',
  ' GLOB *',
  '%',
  '_%',
  '*/ OR /*',
  ' AND randomblob(500000000)',
  "' AND load_extension('x')--",
  '\u0000 OR 1=1',
  ' COLLATE NOCASE',
];
/** All pairs at length; else each of both in some. */
const PAIRS_OF = atLength(1, 5);
const PAYLOADS = QUOTES.flatMap((quote, row) =>
  INJECTIONS.filter((_, column) => (row + column) % PAIRS_OF === 0).map(
    (text) => `1${quote}${text}`,
  ),
);

/** A text encoded so that a header can contain it. */
const inHeader = (text: string) => encodeURI(text).replaceAll('%20', ' ').replaceAll('%22', '"');
const inPath = (text: string) => encodeURIComponent(text);
const json = JSON.stringify;
const UNKNOWN = '019a3b1e-7c40-7d2a-9f11-3c5b8e0a6d42';

type Field = (payload: string, victim: Started & { readonly token: string }) => Promise<Answer>;

const FIELDS: Readonly<Record<string, Field>> = {
  'the locale of a start': (text) => sendJson('/start', json({ locale: text })),
  'its national id': (text) => sendJson('/start', json({ locale: 'en', national_id: text })),
  'its return address': (text) => sendJson('/start', json({ locale: 'en', return_address: text })),
  'the key of a client': (text) =>
    sendJson('/start', json({ locale: 'en' }), { authorization: `Bearer mfk_${inHeader(text)}` }),
  'an attempt id': (text, { attempt_token }) =>
    bank.get(`/status/${inPath(text)}`, {
      ...somebody(),
      'x-provider-attempt-token': attempt_token,
    }),
  'an attempt token in a header': (text, { attempt_id }) =>
    bank.get(`/status/${attempt_id}`, {
      ...somebody(),
      'x-provider-attempt-token': inHeader(text),
    }),
  'the id of a redemption': (text, { attempt_token }) =>
    sendJson(`/token/${inPath(text)}`, json({ attempt_token })),
  'its token': (text, { attempt_id }) =>
    sendJson(`/token/${attempt_id}`, json({ attempt_token: text })),
  'its device name': (text) =>
    sendJson(`/token/${UNKNOWN}`, json({ attempt_token: 'x', device_name: text })),
  'its completion code': (text) =>
    sendJson(`/token/${UNKNOWN}`, json({ attempt_token: 'x', completion_code: text })),
  'its idempotency key': (text) =>
    sendJson(`/token/${UNKNOWN}`, json({ attempt_token: 'x' }), {
      'idempotency-key': inHeader(text).replaceAll(' ', '_').padEnd(30, '_'),
    }),
  'a phone attempt': (text) =>
    sendJson('/complete-mfa', json({ attempt_id: text }), { 'x-provider-attempt-token': 'x' }),
  'a state': (text) => bank.get(`/callback?state=${inPath(text)}`),
  'a launch': (text) => sendForm('/callback/launch', { state: text, secret: OWN_SECRET }),
  'a token to look at': (text) => sendJson('/introspect', json({ token: text })),
  'an API token': (text) =>
    bank.get('/user', { ...somebody(), authorization: `Bearer ${inHeader(text)}` }),
  'the id of a device': (text, { token }) =>
    bank.send(`/tokens/${inPath(text)}`, {
      method: 'DELETE',
      headers: { ...somebody(), authorization: `Bearer ${token}` },
    }),
  'a push message': (text) =>
    sendJson('/provider/mfa-callback', json({ token: text, transId: text, requestId: text })),
};

/** Operations that answer every input with success, without revealing anything. */
const ANSWERED = {
  'a token to look at': '{"active":false}',
  'a push message': '{"received":true}',
};

describe('threat 51: SQL in every field', () => {
  it(`${PAYLOADS.length} payloads are refused, and the tables stay as they were`, async () => {
    const token = await logIn(bank);
    const victim = { ...(await bank.startRedirect()), token };
    const before = countsOf(rehearsal);
    const asked = Object.entries(FIELDS).flatMap(([name, ask]) =>
      PAYLOADS.map((payload) => ({ name, ask, payload })),
    );
    const wrong: string[] = [];
    await eachOf(asked, async ({ name, ask, payload }) => {
      const { status, text } = await ask(payload, victim);
      const expected: Readonly<Record<string, string>> = ANSWERED;
      // A string with NUL is no text, and every body with one is refused.
      const isAnswered = expected[name] !== undefined && !payload.includes('\u0000');
      const isFine = isAnswered ? status === 200 : status >= 400 && status < 500;
      const isEmpty = !isAnswered || text === expected[name];
      if (!isFine || !isEmpty) wrong.push(`${name}: ${json(payload)} ${status} ${text}`);
    });
    expect(wrong).toEqual([]);
    expect(countsOf(rehearsal)).toEqual(before);
    expect((await bank.status(victim)).data['status']).toBe('pending');
    expect((await bank.user(token)).status).toBe(200);
  });

  it('a device may have any name, and gives it back as it was', async () => {
    for (const device_name of ["Robert'); DROP TABLE users;--", '%_\u0001"`\\', 'ﷺ 😀 \u202e']) {
      const finished = await signIn(bank);
      const issued = await bank.redeem(
        finished.started,
        { completion_code: finished.code, device_name },
        somebody(),
      );
      expect(issued.status, issued.text).toBe(200);
      const devices = await bank.get('/tokens', {
        ...somebody(),
        authorization: `Bearer ${String(issued.data['token'])}`,
      });
      const names = (devices.body['data'] as { device_name: string | null }[]).map(
        (device) => device.device_name,
      );
      expect(names).toContain(device_name);
    }
  });
});

/** The row counts of the tables that requests write to. */
function countsOf({ service }: Rehearsal) {
  using database = new DatabaseCopy(service);
  return database.counts();
}

const CONTROL = [
  '\r\n',
  '\n',
  '\u001b[2J',
  '\u001b]0;x\u0007',
  '\u2028',
  '\u0085',
  '\u0000',
  '\b\b',
];
const FORGED = [
  '{"level":30,"msg":"forged-line"}',
  'forged-line INFO admin signed in',
  '","msg":"forged-line","x":"',
  '%0d%0aforged-line',
  '\\r\\nforged-line',
  '${jndi:ldap://forged-line}',
];
const LOG_PAYLOADS = CONTROL.flatMap((control) => FORGED.map((text) => `x${control}${text}`));

describe('threat 44: text that wants to be a line of the log', () => {
  it('is none: each request has one line, and each line is JSON', async () => {
    const answers = await eachOf(LOG_PAYLOADS, async (text) => {
      const header = inHeader(text).slice(0, 200);
      const started = await bank.startRedirect();
      const body = json({ attempt_token: started.attempt_token, device_name: text });
      return [
        await sendJson('/start', json({ locale: text }), { 'user-agent': header }),
        await sendJson(`/token/${started.attempt_id}`, body, { 'accept-language': header }),
        await sendJson('/start', json({ [text]: 1 }), { authorization: `Bearer ${header}` }),
        await bank.get(`/callback?state=${inPath(text)}&locale=${inPath(text)}`),
        await bank.get(`/${inPath(text)}`, { ...somebody(), referer: `http://x/${header}` }),
        await sendJson(
          '/provider/mfa-callback',
          json({ token: text, transId: text, requestId: text }),
        ),
      ];
    });
    await rehearsal.service.stop();

    const stdout = rehearsal.service.stdout();
    const lines = stdout.slice(stdout.indexOf('Ctrl-C stops it.')).split('\n').slice(1, -1);
    const parsed = lines.map((line) => JSON.parse(line) as { reqId?: string; msg: string });
    const served = parsed.filter(({ msg }) => msg === 'request').map(({ reqId }) => reqId);
    const ids = answers.flat().map(({ headers }) => headers.get('x-request-id'));
    for (const id of ids) expect(served.filter((one) => one === id)).toHaveLength(1);
    expect(stdout).not.toContain('forged-line');
    expect(stdout).not.toContain('\u001b');
    expect(rehearsal.service.stderr()).toBe('');
  });
});
