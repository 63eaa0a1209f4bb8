import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectMiftah, startMiftah, type FaultRule } from '../src/index.ts';
import { FOREVER, opened, share } from './support/instances.ts';

/** A UUID that no attempt has. */
const NOBODYS = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';

describe.each([
  ['plain', false],
  ['strict', true],
])('the kit in %s mode', (_, strict) => {
  const miftah = share(strict);
  const byPhone = (nationalId: string) => miftah().client().start({ locale: 'en', nationalId });
  const byBrowser = () => miftah().client().start({ locale: 'en' });

  it('signs in by phone', async () => {
    const { phone, people } = miftah();
    const attempt = await byPhone(people.faisal.nationalId);
    expect(await phone.prompts()).toMatchObject([{ attemptId: attempt.id }]);
    const prompt = await phone.approve();
    expect(prompt).toMatchObject({
      attemptId: attempt.id,
      random: attempt.random,
      nationalId: people.faisal.nationalId,
      locale: 'en',
    });
    expect(prompt.expiresAt).toBeInstanceOf(Date);
    await miftah().waitFor(attempt, 'authenticated');
    expect((await attempt.issueToken()).user.englishName).toBe(people.faisal.englishName.full);
    expect(await phone.prompts()).toEqual([]);
  });

  it.each([
    ['refuse', 'rejected'],
    ['notMe', 'rejected'],
    ['wrongNumber', 'rejected'],
  ] as const)('phone.%s ends it as %s', async (decision, end) => {
    const attempt = await byPhone(miftah().people.yara.nationalId);
    // Capitals are the same id.
    await miftah().phone[decision](attempt.id.toUpperCase());
    await miftah().waitFor(attempt.id.toUpperCase(), end);
  });

  it('an attempt that is cancelled leaves the phone', async () => {
    const { phone, people } = miftah();
    const attempt = await byPhone(people.amal.nationalId);
    await attempt.cancel();
    expect(await phone.prompts()).toEqual([]);
    await miftah().waitFor(attempt, 'rejected');
  });

  it('names a prompt by its attempt, its person, or a number', async () => {
    const { phone, people } = miftah();
    const ids = [people.amal, people.kusuma, people.lukas].map((person) => person.nationalId);
    const attempts = await Promise.all(ids.map(byPhone));
    await expect(phone.approve()).rejects.toThrow(/^3 prompts wait: say which one\. These wait: /);
    await phone.approve(people.kusuma);
    await phone.approve('3000009901');
    await phone.approve('amal');
    await Promise.all(attempts.map((attempt) => miftah().waitFor(attempt, 'authenticated')));
  });

  it('asks which one when several of a person wait', async () => {
    const { phone, people } = miftah();
    const { nationalId } = people.yara;
    const attempts = [await byPhone(nationalId), await byPhone(nationalId)];
    for (const which of ['yara', nationalId, people.yara]) {
      const said = `2 prompts of ${nationalId} wait: say which one. These wait: ${nationalId} (at`;
      await expect(phone.approve(which)).rejects.toThrow(said);
    }
    for (const attempt of attempts) await phone.approve(attempt);
    await Promise.all(attempts.map((attempt) => miftah().waitFor(attempt, 'authenticated')));
  });

  it('waits for a prompt that comes later', async () => {
    const approved = miftah().phone.approve('4000011001');
    const attempt = await byPhone('4000011001');
    expect((await approved).attemptId).toBe(attempt.id);
    await miftah().waitFor(attempt, 'authenticated');
  });

  it('signs in by browser, as the person who is named', async () => {
    const attempt = await byBrowser();
    const { returnAddress } = await miftah().browser.approve(attempt, { person: 'siobhan' });
    const { searchParams } = returnAddress;
    expect(searchParams.get('attempt_id')).toBe(attempt.id);
    const completionCode = searchParams.get('completion_code') ?? '';
    const { user } = await attempt.issueToken({ completionCode });
    expect(user.nationalId).toBe(miftah().people.siobhan.nationalId);
  });

  it('refuses by browser, and comes back with the error', async () => {
    const attempt = await byBrowser();
    const address = new URL(attempt.authorizationUrl);
    const { returnAddress } = await miftah().browser.refuse(address);
    expect(returnAddress.searchParams.get('error')).toBe('access_denied');
    await miftah().waitFor(attempt, 'rejected');
    await expect(miftah().browser.approve(attempt.id)).rejects.toThrow(
      /^The sign-in page .*\/callback ends the sign-in \(4\d\d: ".+"\): .+\.$/,
    );
  });

  it('says in the language of the attempt why a sign-in page has ended it', async () => {
    const { browser, clock } = miftah();
    const unknown = `${miftah().baseUrl}/callback?state=${NOBODYS}`;
    await expect(browser.approve(unknown)).rejects.toThrow(
      '(404: "This request cannot be continued")',
    );
    if (!strict) return;
    await clock.skew('5m');
    await expect(browser.approve(await byBrowser())).rejects.toThrow(
      /\(502 provider\.bad_response: "[A-Z][a-z ]+"\)/,
    );
    await clock.reset();
  });

  it('comes back to the address of the application', async () => {
    const returnAddress = 'http://localhost:4711/return';
    const attempt = await miftah().client().start({ locale: 'en', returnAddress });
    const returned = await miftah().browser.approve(attempt.id);
    expect(returned.returnAddress.href.startsWith(`${returnAddress}?attempt_id=`)).toBe(true);
  });

  it('lets five minutes pass', async () => {
    const attempt = await byPhone(miftah().people.imran.nationalId);
    await miftah().phone.ignore(attempt.id);
    const before = await miftah().clock.state();
    const { now, aheadMs } = await miftah().clock.advance('5m');
    expect(now.getTime() - before.now.getTime()).toBeGreaterThanOrEqual(300_000);
    expect(aheadMs - before.aheadMs).toBe(300_000);
    await miftah().waitFor(attempt, 'expired');
    expect(await miftah().clock.reset()).toMatchObject({ aheadMs: 0, frozen: false, skewMs: 0 });
  });

  it('stops the time, and puts the provider ahead', async () => {
    expect(await miftah().clock.freeze(FOREVER)).toMatchObject({ now: FOREVER, frozen: true });
    expect(await miftah().clock.skew('-90s')).toMatchObject({ skewMs: -90_000 });
    expect(await miftah().clock.advance(250)).toMatchObject({
      now: new Date(FOREVER.getTime() + 250),
    });
    await miftah().clock.reset();
  });

  it('says where an attempt is instead', async () => {
    const attempt = await byPhone(miftah().people.tala.nationalId);
    const is = `The attempt ${attempt.id} is pending, and not rejected`;
    const waited = miftah().waitFor(attempt, 'rejected', { timeout: 1 });
    await expect(waited).rejects.toThrow(
      `${is}, after 1000 ms. Its prompt waits for an answer: phone.approve('${attempt.id}').`,
    );
    const page = await byBrowser();
    const soon = miftah().waitFor(page, 'authenticated', { timeout: 0 });
    await expect(soon).rejects.toThrow(`, after 0 ms. `);
    await expect(soon).rejects.toThrow(`browser.approve('${page.id}').`);
    await miftah().phone.approve(attempt);
    await miftah().waitFor(attempt, 'authenticated');
    const other = miftah().waitFor(attempt, 'rejected');
    await expect(other).rejects.toThrow(
      `The attempt ${attempt.id} is authenticated, and not rejected.`,
    );
  });
});

describe('what the kit says about bad use', () => {
  const miftah = share(false);

  it.each([
    [
      'an attempt',
      () => miftah().phone.approve('nobody'),
      /national id of ten digits.*amal, faisal/,
    ],
    ['a person', () => miftah().browser.approve(NOBODYS, { person: 'nobody' }), /amal, faisal/],
    ['an address', () => miftah().browser.approve('http://127.0.0.1:9/login'), /address at http:/],
    ['an attempt by phone', () => miftah().browser.refuse({}), /phone\.approve\(\)/],
    ['a duration', () => miftah().clock.advance('5 minutes'), /such as '5m'/],
    ['time back', () => miftah().clock.advance('-5m'), /freeze\(\) and reset\(\) take it back/],
    ['a skew', () => miftah().clock.skew(Number.NaN), /such as '2m' or '-90s'/],
    ['a moment', () => miftah().clock.freeze('yesterday'), /2026-01-31T09:05:00Z/],
    ['a year', () => miftah().clock.freeze('2026'), /2026-01-31T09:05:00Z/],
    ['an attempt to wait for', () => miftah().waitFor('1', 'expired'), /its id \(a UUID\)/],
    [
      'a state',
      () => miftah().waitFor(NOBODYS, 'redeemed' as 'expired'),
      /authenticated, rejected, expired, failed/,
    ],
    [
      'a time to wait',
      () => miftah().waitFor(NOBODYS, 'expired', { timeout: -1 }),
      /number of milliseconds/,
    ],
    [
      'an option',
      () => startMiftah({ stict: true } as object),
      /strict, openid, people, seed, clients, now, and not stict/,
    ],
    [
      'a port, which a Miftah takes for itself',
      () => startMiftah({ port: 3000 } as object),
      /now, and not port\. It takes a free port of 127\.0\.0\.1 by itself: url and baseUrl name it\.$/,
    ],
    [
      'an option of client()',
      async () => miftah().client({ clientkey: 'x' } as object),
      /client takes clientKey, and not clientkey/,
    ],
    [
      'a mode',
      () => startMiftah({ strict: 'yes' as unknown as boolean }),
      /strict is true or false/,
    ],
    [
      'a start time',
      () => startMiftah({ now: new Date('x') }),
      /now is a Date, and not an invalid Date/,
    ],
    [
      'a person to remove',
      () => miftah().removePerson('fasial'),
      /one of the people: amal, faisal.*; given: "fasial" \(did you mean "faisal"\?\)\.$/,
    ],
    ['a scope', () => connectMiftah(miftah().url, { scope: 'My test' }), /1 to 64 of a-z, 0-9/],
    ['an instance', () => connectMiftah('127.0.0.1:3000'), /http:\/\/127\.0\.0\.1:3000/],
  ])('%s', async (_, use, says) => {
    const failed = await use().then(
      () => null,
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(TypeError);
    expect(String(failed)).toMatch(says);
  });

  it('a fault, by what is wrong and where the rest is written', async () => {
    const wrong = { operation: 'mfa_reqest', status: 503 } as unknown as FaultRule;
    const { message } = await miftah()
      .faults([{ operation: 'jwk', status: 503 }, wrong])
      .then(
        () => new Error('It was taken.'),
        (error: unknown) => error as Error,
      );
    expect(message).toBe(
      'PUT /simulator/faults was refused: validation.failed: faults[1].operation: must be one of ' +
        'any, session, mfa_request, mfa_status, exchange, jwk, token_valid, openid_token, ' +
        'openid_userinfo, openid_jwks, openid_discovery (did you mean "mfa_request"?). ' +
        'What a fault may have is in its type, FaultRule, and in docs/simulator.md#faults.',
    );
  });

  it('names what waits when the wanted prompt does not come', async () => {
    const { phone, people } = miftah();
    const start = (nationalId: string) => miftah().client().start({ locale: 'en', nationalId });
    const waits = await start(people.amal.nationalId);
    const ended = await start('1900000010');
    const texts = await Promise.all(
      [people.faisal.nationalId, ended.id, NOBODYS].map((which) =>
        phone.approve(which).catch((error: unknown) => String(error)),
      ),
    );
    const these = `These wait: ${people.amal.nationalId} (attempt ${waits.id}).`;
    expect(texts).toEqual([
      `Error: No prompt of ${people.faisal.nationalId} waits for an answer, after 4 seconds. The newest attempt, by phone, is rejected. ${these}`,
      `Error: No prompt of ${ended.id} waits for an answer, after 4 seconds. The attempt is rejected. ${these}`,
      `Error: No prompt of ${NOBODYS} waits for an answer, after 4 seconds. This Miftah knows no such attempt. ${these}`,
    ]);
  });

  it('names the newest attempt when nothing waits', async () => {
    const { url } = miftah();
    const none = await connectMiftah(url, { scope: 'none' });
    const ended = await connectMiftah(url, { scope: 'ended' });
    const other = await connectMiftah(url, { scope: 'other' });
    await ended.client().start({ locale: 'en', nationalId: '1900000010' });
    const page = await other.client().start({ locale: 'en' });
    const failing = [none, ended, other].map(async ({ phone }) =>
      phone.approve().catch((error: unknown) => String(error)),
    );
    const nothing = 'Error: No prompt waits for an answer, after 4 seconds.';
    expect(await Promise.all(failing)).toEqual([
      `${nothing} No attempt was started here: the application has to use baseUrl. Nothing waits.`,
      `${nothing} The newest attempt, by phone, is rejected. Nothing waits.`,
      `${nothing} The newest attempt is by browser, and pending: browser.approve() is for it. Nothing waits.`,
    ]);
    await other.browser.approve(page);
  });

  it('a production', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    await expect(startMiftah()).rejects.toThrow(/NODE_ENV=production/);
  });

  it('a Node that is too old', async () => {
    vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...process.versions, node: '22.1.0' });
    await expect(startMiftah()).rejects.toThrow(/needs Node 24 or newer, and this is 22\.1\.0/);
  });

  it('a client', async () => {
    const clients = [
      { id: 'shop', name: { ar: 'متجر', en: 'Shop' }, type: 'confidential', returnAddresses: [] },
    ] as const;
    await expect(startMiftah({ clients })).rejects.toThrow(
      /^startMiftah: clients .*\n.* clients\[0\] \(shop\): "returnAddresses" is empty/,
    );
  });

  it('an address where nothing is, or something else', async () => {
    await expect(connectMiftah('http://127.0.0.1:1')).rejects.toThrow(
      /^No Miftah answers at http:\/\/127\.0\.0\.1:1\. Start one there/,
    );
    const { url } = await opened();
    const secure = url.replace('http:', 'https:');
    await expect(connectMiftah(secure)).rejects.toThrow(`${secure}. Is it ${url}? Start one there`);
    const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello')).listen(0);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    await expect(connectMiftah(`http://127.0.0.1:${port}`)).rejects.toThrow(/simulator/);
  });

  it('an instance that was stopped', async () => {
    const stopped = await startMiftah();
    await Promise.all([stopped.stop(), stopped.stop()]);
    await expect(stopped.phone.prompts()).rejects.toThrow(/was stopped/);
    await expect(fetch(stopped.url)).rejects.toThrow('fetch failed');
  });
});

describe('an instance of the kit', () => {
  it('begins at the time that is given, and stands there', async () => {
    const miftah = await opened({ now: FOREVER });
    expect(await miftah.clock.state()).toMatchObject({ now: FOREVER, frozen: true });
    const attempt = await miftah.client().start({ locale: 'en' });
    expect(attempt.expiresAt).toEqual(new Date(FOREVER.getTime() + 300_000));
  });

  it('takes no setting from the environment', async () => {
    vi.stubEnv('PUBLIC_URL', 'https://sign-in.example');
    vi.stubEnv('STRICT', 'yes');
    vi.stubEnv('MIFTAH_URL', 'http://127.0.0.1:3000');
    const miftah = await opened();
    const { origin } = new URL(miftah.url);
    expect([origin, miftah.baseUrl]).toEqual([miftah.url, `${miftah.url}/api/v1`]);
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const started = miftah.client().start({ locale: 'en' });
    await expect(started).resolves.toMatchObject({ flow: 'oidc' });
  });

  it('has the clients that are given', async () => {
    const returnAddresses = ['https://shop.example/return'];
    const name = { ar: 'متجر', en: 'Shop' };
    const keys = ['mfk_test_shop_of_a_test'];
    const shop = { id: 'shop', name, type: 'confidential', returnAddresses, keys } as const;
    const miftah = await opened({ strict: true, clients: [shop] });
    await expect(miftah.client().start({ locale: 'en' })).rejects.toThrow(
      'client.unauthenticated: This Miftah is strict: client({ clientKey }), with a key of shop.',
    );
    const client = miftah.client({ clientKey: keys[0] });
    const attempt = await client.start({ locale: 'en' });
    const { returnAddress } = await miftah.browser.approve(attempt);
    expect(returnAddress.origin + returnAddress.pathname).toBe(returnAddresses[0]);
  });

  it('brings the browser back to an application on the device', async () => {
    const returnAddresses = ['com.example.shop:/return'];
    const name = { ar: 'متجر', en: 'Shop' };
    const shop = { id: 'shop', name, type: 'public', returnAddresses, keyless: ['oidc'] } as const;
    const miftah = await opened({ strict: true, clients: [shop] });
    const attempt = await miftah.client().start({ locale: 'en' });
    const { returnAddress } = await miftah.browser.approve(attempt);
    expect(returnAddress.href).toMatch(/^com\.example\.shop:\/return\?attempt_id=/);
    const completionCode = returnAddress.searchParams.get('completion_code') ?? '';
    await expect(attempt.issueToken({ completionCode })).resolves.toBeDefined();
  });

  it('is used by whoever knows its address, and goes on without them', async () => {
    const miftah = await opened();
    const connected = await connectMiftah(miftah.url);
    expect(connected.baseUrl).toBe(miftah.baseUrl);
    const attempt = await connected.client().start({ locale: 'en', nationalId: '1000001101' });
    await connected.phone.approve(attempt);
    await connected.stop();
    await miftah.waitFor(attempt, 'authenticated');
  });
});
