import { describe, expect, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { ledTo } from '../support/led-to.ts';
import { withoutRequestId } from '../support/without-request-id.ts';
import {
  approveInBrowser,
  complete,
  dataOf,
  expectProblem,
  FAISAL,
  issuedOf,
  postSignIn,
  readStatus,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
  statusOf,
} from '../support/service/login.ts';
import {
  BASE,
  openTestService,
  shareService,
  type Answer,
} from '../support/service/test-service.ts';

/** The pages behind authorization_url: decision 0002. */

const service = shareService();
const UNKNOWN = '01900000-0000-7000-8000-000000000000';

function open(state: string, headers: Record<string, string> = {}): Promise<Answer> {
  return service().request({ method: 'GET', url: `${BASE}/callback?state=${state}`, headers });
}

function titleOf({ payload, headers }: Answer): string {
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  return /<title>(.*?)<\/title>/.exec(payload)?.[1] ?? '';
}

const locationOf = ({ headers }: Answer) => String(ledTo(headers));

const sharedOf = ({ payload, headers }: Answer) =>
  withoutRequestId(payload, headers['x-request-id']?.toString());

const htmlOf = (answer: Answer) => /<html[^>]*>/.exec(answer.payload)?.[0];

describe('GET /callback?state=', () => {
  it('is what authorization_url opens', async () => {
    const { authorization_url = '' } = await startRedirect(service());
    const { pathname, search } = new URL(authorization_url);
    const answer = await service().request({ method: 'GET', url: pathname + search });
    expect([answer.statusCode, titleOf(answer)]).toEqual([200, 'Sign in · Miftah']);
  });

  it.each([
    ['ar', '<html lang="ar" dir="rtl">', 'تسجيل الدخول · مفتاح'],
    ['en', '<html lang="en" dir="ltr">', 'Sign in · Miftah'],
  ])(
    'is in the language of the attempt, whatever the browser prefers: %s',
    async (locale, html, title) => {
      const { attempt_id } = await startRedirect(service(), locale);
      const answer = await open(attempt_id, { 'accept-language': locale === 'ar' ? 'en' : 'ar' });
      expect([htmlOf(answer), titleOf(answer)]).toEqual([html, title]);
    },
  );

  it('has a link to the same page in the other language', async () => {
    const { attempt_id } = await startRedirect(service(), 'ar');
    const [, link = ''] =
      /<a class="language" href="([^"]+)"/.exec((await open(attempt_id)).payload) ?? [];
    const answer = await service().request({ method: 'GET', url: link.replaceAll('&amp;', '&') });
    expect([answer.statusCode, titleOf(answer)]).toEqual([200, 'Sign in · Miftah']);
  });

  it('changes nothing, however often it is opened', async () => {
    const started = await startRedirect(service());
    const pages = [await open(started.attempt_id), await open(started.attempt_id)];
    expect(new Set(pages.map(({ payload }) => payload)).size).toBe(1);
    expect(await statusOf(service(), started)).toBe('pending');
  });

  it('shows neither the attempt token nor any other secret', async () => {
    const { attempt_id, attempt_token } = await startRedirect(service());
    expect((await open(attempt_id)).payload).not.toContain(attempt_token);
  });

  it('lets its form go to itself only', async () => {
    const settings = { DASHBOARD_URL: 'https://app.example.test/return?a=1', RATE_LIMITS: 'off' };
    const other = await openTestService({ settings });
    const { attempt_id } = await startRedirect(other);
    const answer = await other.get(`/callback?state=${attempt_id}`);
    const policy = String(answer.headers['content-security-policy']).split('; ');
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
  });

  it('is the same 404 page for all that can not be opened', async () => {
    const phone = await startPhone(service());
    const states = [UNKNOWN, phone.attempt_id, 'x', '', '%00', '<script>', `${UNKNOWN}&state=x`];
    const pages = [];
    for (const state of states) {
      const answer = await open(state, { 'accept-language': 'en' });
      expect(answer.statusCode).toBe(404);
      pages.push(sharedOf(answer));
    }
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toContain('This request cannot be continued');
    expect(pages[0]).toContain('This is a simulation.');
    const bare = await service().get('/callback', { 'accept-language': 'en' });
    expect([bare.statusCode, sharedOf(bare)]).toEqual([404, pages[0]]);
    const [, toArabic = ''] = /href="(\/api\/v1\/callback\?locale=ar)"/.exec(bare.payload) ?? [];
    const arabic = await service().request({ method: 'GET', url: toArabic });
    expect([arabic.statusCode, titleOf(arabic)]).toEqual([404, 'لا يمكن متابعة هذا الطلب · مفتاح']);
    expect(arabic.payload).toContain('href="/api/v1/callback?locale=en"');
  });

  it('says of an attempt that has ended how it ended', async () => {
    const late = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    const page = async (state: string) => {
      const answer = await late.get(`/callback?state=${state}`);
      // Nobody is real on any of them, whatever has become of the attempt.
      expect(answer.payload).toContain('This is a simulation.');
      const isOpen = answer.payload.includes('<form');
      expect(answer.payload.includes('href="/?locale=en"')).toBe(!isOpen);
      expect(answer.payload.includes('href="/console?locale=en"')).toBe(!isOpen);
      return [answer.statusCode, titleOf(answer)];
    };
    const done = await startCompleted(late, 'redirect');
    const rejected = await startRedirect(late);
    await postSignIn(late, { state: rejected.attempt_id, decision: 'refuse' });
    const failed = await startCompleted(late, 'redirect');
    for (let count = 0; count < 5; count += 1) await redeem(late, failed, { completion_code: 'x' });
    const forgotten = await startRedirect(late);
    expect(await page(done.attempt_id)).toEqual([200, 'The sign-in is complete · Miftah']);
    await redeem(late, done);
    expect(await page(done.attempt_id)).toEqual([200, 'The sign-in is complete · Miftah']);
    expect(await page(rejected.attempt_id)).toEqual([409, 'The request was refused · Miftah']);
    const inArabic = await late.get(`/callback?state=${rejected.attempt_id}&locale=ar`);
    expect(inArabic.payload).toContain(`state=${rejected.attempt_id}&amp;locale=en"`);
    expect(await page(failed.attempt_id)).toEqual([409, 'The sign-in did not succeed · Miftah']);
    late.clock.advance(ATTEMPT_LIFETIME_MS - 1);
    expect(await page(forgotten.attempt_id)).toEqual([200, 'Sign in · Miftah']);
    late.clock.advance(1);
    expect(await page(forgotten.attempt_id)).toEqual([410, 'The request has expired · Miftah']);
  });
});

describe('the form of the sign-in page', () => {
  it('is posted where the page says, with what the page holds', async () => {
    const { attempt_id } = await startRedirect(service());
    const { payload } = await open(attempt_id);
    expect(payload).toContain(`action="http://127.0.0.1:3000${BASE}/callback/sign-in?locale=en"`);
    expect(payload).toContain(`name="state" value="${attempt_id}"`);
    for (const decision of ['approve', 'refuse', 'not_me']) {
      expect(payload).toContain(`name="decision" value="${decision}"`);
    }
  });

  it('sends the browser to the dashboard with attempt_id and completion_code', async () => {
    const { attempt_id } = await startRedirect(service());
    const form = { state: attempt_id, person: 'faisal', decision: 'approve' };
    const answer = await postSignIn(service(), form);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).not.toHaveProperty('location');
    const address = new URL(locationOf(answer));
    expect(address.origin + address.pathname).toBe('http://127.0.0.1:3000/dashboard');
    expect([...address.searchParams.keys()]).toEqual(['attempt_id', 'completion_code']);
    expect(address.searchParams.get('attempt_id')).toBe(attempt_id);
    expect(address.searchParams.get('completion_code')).toMatch(/^[\w-]{43}$/);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
  });

  it('keeps the query of DASHBOARD_URL, and reads no address from the request', async () => {
    const settings = { DASHBOARD_URL: 'https://app.example.test/return?a=1', RATE_LIMITS: 'off' };
    const other = await openTestService({ settings });
    const { attempt_id } = await startRedirect(other);
    const form = { state: attempt_id, person: 'amal', decision: 'approve' };
    const answer = await postSignIn(other, form, { referer: 'https://evil.test' });
    expect(locationOf(answer)).toMatch(
      /^https:\/\/app\.example\.test\/return\?a=1&attempt_id=[0-9a-f-]{36}&completion_code=[\w-]{43}$/,
    );
  });

  it('signs in whom the person chose, with a code that then redeems', async () => {
    const started = await startRedirect(service());
    const completion_code = await approveInBrowser(service(), started, 'faisal');
    const { user } = issuedOf(await redeem(service(), started, { completion_code }));
    expect(user).toMatchObject({ national_id: FAISAL, last_auth_method: 'oidc' });
  });

  it('signs in the default person when nobody is chosen', async () => {
    const started = await startRedirect(service());
    await postSignIn(service(), { state: started.attempt_id, decision: 'approve' });
    const { user } = dataOf(await readStatus(service(), started));
    expect(user).toMatchObject({ national_id: '1000001101' });
  });

  it.each(['refuse', 'not_me'])(
    'ends the attempt by %s, and leads back to the application',
    async (decision) => {
      const started = await startRedirect(service());
      const answer = await postSignIn(service(), { state: started.attempt_id, decision });
      const address = new URL(locationOf(answer));
      expect([answer.statusCode, address.pathname]).toEqual([200, '/dashboard']);
      expect(address.search).toBe(`?attempt_id=${started.attempt_id}&error=access_denied`);
      const shown = await dashboard(`${address.search.slice(1)}&locale=en`);
      expect(titleOf(shown)).toBe('The request was refused · Miftah');
      expect(await statusOf(service(), started)).toBe('rejected');
      expectProblem(await redeem(service(), started), 'attempt.rejected');
    },
  );

  it('an error in the address of the dashboard is believed only where the status says so', async () => {
    const started = await startRedirect(service());
    const forged = await dashboard(
      `attempt_id=${started.attempt_id}&error=access_denied&locale=en`,
    );
    expect(titleOf(forged)).toBe('Not signed in yet · Miftah');
  });

  it('gives its code to the one browser that finished, once', async () => {
    const started = await startRedirect(service());
    const completion_code = await approveInBrowser(service(), started);
    const form = { state: started.attempt_id, person: 'faisal', decision: 'approve' };
    const again = await postSignIn(service(), form);
    expect([again.statusCode, titleOf(again)]).toEqual([200, 'The sign-in is complete · Miftah']);
    expect(ledTo(again.headers)).toBeNull();
    expect(again.payload).not.toContain(completion_code);
    const { user } = issuedOf(await redeem(service(), started, { completion_code }));
    expect(user.national_id).toBe('1000001101');
  });

  it('gives one code when many browsers finish at the same time, and it is the good one', async () => {
    const started = await startRedirect(service());
    const form = { state: started.attempt_id, person: 'amal', decision: 'approve' };
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => postSignIn(service(), form)),
    );
    const codes = answers
      .map(({ headers }) => ledTo(headers))
      .filter((address) => address !== null)
      .map((address) => new URL(address).searchParams.get('completion_code'));
    expect(codes).toHaveLength(1);
    const redeemed = await redeem(service(), started, { completion_code: codes[0] });
    expect(redeemed.statusCode).toBe(200);
  });

  it.each([
    ['refused before', 409, 'access_denied'],
    ['expired', 410, 'expired_token'],
  ])('is too late for an attempt that was %s, and leads back', async (how, status, error) => {
    const late = await openTestService();
    const { attempt_id } = await startRedirect(late);
    if (how === 'expired') late.clock.advance(ATTEMPT_LIFETIME_MS);
    else await postSignIn(late, { state: attempt_id, decision: 'not_me' });
    const answer = await postSignIn(late, { state: attempt_id, decision: 'approve' });
    const address = locationOf(answer);
    expect([answer.statusCode, new URL(address).search]).toEqual([
      200,
      `?attempt_id=${attempt_id}&error=${error}`,
    ]);
    // The page itself has the same link.
    const page = await late.get(`/callback?state=${attempt_id}`);
    expect(page.statusCode).toBe(status);
    expect(page.payload).toContain(`href="${address.replaceAll('&', '&amp;')}"`);
  });

  it.each([
    ['an unknown attempt', { state: UNKNOWN, decision: 'approve' }, 404],
    ['no id', { state: 'x', decision: 'approve' }, 404],
    ['nothing', {}, 422],
    ['no decision', { state: UNKNOWN }, 422],
    ['an unknown decision', { state: UNKNOWN, decision: 'maybe' }, 422],
    ['a stranger', { state: UNKNOWN, decision: 'approve', national_id: '1' }, 422],
  ])('is answered by a page that can be read when it has %s', async (_, form, status) => {
    const answer = await postSignIn(service(), form, {
      'accept-language': 'ar',
    });
    expect(answer.statusCode).toBe(status);
    expect(titleOf(answer)).not.toBe('');
    expect(htmlOf(answer)).toBe('<html lang="ar" dir="rtl">');
  });

  it('signs in nobody who is not listed, and leaves the attempt open', async () => {
    const started = await startRedirect(service());
    for (const person of ['nobody', '', '1000001101', '__proto__']) {
      const form = { state: started.attempt_id, person, decision: 'approve' };
      expect((await postSignIn(service(), form)).statusCode).toBe(422);
    }
    expect(await statusOf(service(), started)).toBe('pending');
  });

  it('finds no attempt of the phone flow', async () => {
    const started = await startPhone(service());
    const form = { state: started.attempt_id, decision: 'approve' };
    expect((await postSignIn(service(), form)).statusCode).toBe(409);
    expect(await statusOf(service(), started)).toBe('pending');
  });

  it.each(['cross-site', 'same-site', 'none', 'anything'])(
    'is refused from another site (Sec-Fetch-Site: %s), before anything is done',
    async (site) => {
      const started = await startRedirect(service());
      const form = { state: started.attempt_id, decision: 'approve' };
      const answer = await postSignIn(service(), form, { 'sec-fetch-site': site });
      expect(answer.statusCode).toBe(403);
      expect(titleOf(answer)).not.toBe('');
      expect(await statusOf(service(), started)).toBe('pending');
    },
  );

  // Without Sec-Fetch-Site, as browsers send requests over plain HTTP to another machine.
  it.each(['http://evil.test', 'http://localhost:8081', 'https://127.0.0.1:3001', 'file://', ''])(
    'is refused from another origin as well: %j',
    async (origin) => {
      const started = await startRedirect(service());
      const form = { state: started.attempt_id, decision: 'approve' };
      const answer = await postSignIn(service(), form, { origin });
      expect(answer.statusCode).toBe(403);
      expect(await statusOf(service(), started)).toBe('pending');
    },
  );

  it.each(['null', 'http://127.0.0.1:3000', 'http://localhost:80'])(
    'is taken from its own origin, or from one that is not told: %s',
    async (origin) => {
      const started = await startRedirect(service());
      const form = { state: started.attempt_id, decision: 'approve' };
      const headers = { origin, host: 'localhost:80' };
      expect((await postSignIn(service(), form, headers)).statusCode).toBe(200);
    },
  );

  it('is taken from its own page', async () => {
    const started = await startRedirect(service());
    const form = { state: started.attempt_id, decision: 'approve' };
    const answer = await postSignIn(service(), form, { 'sec-fetch-site': 'same-origin' });
    expect(answer.statusCode).toBe(200);
  });

  it('finds the work of POST /callback done, and has no code for it', async () => {
    const started = await startRedirect(service());
    await complete(service(), started);
    const form = { state: started.attempt_id, decision: 'refuse' };
    const answer = await postSignIn(service(), form);
    expect([answer.statusCode, titleOf(answer)]).toEqual([200, 'The sign-in is complete · Miftah']);
    expect(await statusOf(service(), started)).toBe('authenticated');
  });
});

function dashboard(query: string): Promise<Answer> {
  return service().request({ method: 'GET', url: `/dashboard?${query}` });
}

describe('GET /dashboard', () => {
  it('shows id and code of the return', async () => {
    const { attempt_id } = await startRedirect(service());
    const form = { state: attempt_id, person: 'faisal', decision: 'approve' };
    const { pathname, search } = new URL(locationOf(await postSignIn(service(), form)));
    const answer = await service().request({ method: 'GET', url: pathname + search });
    const code = new URLSearchParams(search).get('completion_code') ?? '';
    expect(answer.statusCode).toBe(200);
    expect(answer.payload.replaceAll('<wbr/>', '')).toContain(`>${attempt_id}</code>`);
    expect(answer.payload).toContain(`>${code}</code>`);
  });

  it.each([
    [`attempt_id=${UNKNOWN}`, 404, 'There is no such attempt'],
    ['attempt_id=%3Cscript%3Ealert(1)%3C/script%3E', 404, 'There is no such attempt'],
    [`attempt_id=${UNKNOWN}&completion_code=x`, 404, 'There is no such attempt'],
  ])('says so of an attempt that is unknown: %s', async (query, status, title) => {
    const answer = await dashboard(`${query}&locale=en`);
    expect([answer.statusCode, titleOf(answer)]).toEqual([status, `${title} · Miftah`]);
    expect(answer.payload).not.toMatch(/<script|completion-code"/);
  });

  it.each(['', '&error=access_denied'])(
    'says by the state of the attempt what has happened, whatever the address says: %j',
    async (error) => {
      const page = ({ attempt_id }: { attempt_id: string }) =>
        dashboard(`attempt_id=${attempt_id}&locale=en${error}`);
      const pending = await page(await startRedirect(service()));
      expect(titleOf(pending)).toBe('Not signed in yet · Miftah');
      expect(pending.payload).not.toMatch(/curl|data-trial/);
      const approved = await page(await startCompleted(service(), 'redirect'));
      expect(titleOf(approved)).toBe('The sign-in was approved · Miftah');
      expect(approved.payload).not.toContain('curl');
      const refused = await startRedirect(service());
      await postSignIn(service(), { state: refused.attempt_id, decision: 'refuse' });
      expect(titleOf(await page(refused))).toBe('The request was refused · Miftah');
    },
  );

  it('says so of a code that is not the one of the attempt, and counts nothing', async () => {
    const started = await startCompleted(service(), 'redirect');
    for (let count = 0; count < 6; count += 1) {
      const answer = await dashboard(
        `attempt_id=${started.attempt_id}&completion_code=%22%3E%3Cimg%3E`,
      );
      expect(answer.statusCode).toBe(409);
      expect(answer.payload).toContain('The completion code is not accepted');
      expect(answer.payload).not.toMatch(/<img|&lt;img.*<code/);
    }
    expect(await statusOf(service(), started)).toBe('authenticated');
  });

  it('keeps the language that was chosen on the sign-in page', async () => {
    const { attempt_id } = await startRedirect(service(), 'ar');
    const state = encodeURIComponent(attempt_id);
    const page = await service().get(`/callback?state=${state}&locale=en`);
    const [, action = ''] = /action="([^"]+)"/.exec(page.payload) ?? [];
    const { pathname, search } = new URL(action);
    const sent = await service().request({
      method: 'POST',
      url: pathname + search,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ state: attempt_id, decision: 'approve' }).toString(),
    });
    const back = new URL(locationOf(sent));
    const shown = await service().request({ method: 'GET', url: back.pathname + back.search });
    expect([shown.statusCode, htmlOf(shown)]).toEqual([200, '<html lang="en" dir="ltr">']);
    const again = await service().request({ method: 'POST', url: pathname + search });
    expect(htmlOf(again)).toBe('<html lang="en" dir="ltr">');
  });
});
