import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PersonBrowser, type Visit } from '../support/live/person-browser.ts';
import type { Started } from '../support/live/live-client.ts';
import { cut, text } from '../support/provider/area-b.ts';
import { addressWith } from '../support/provider/session-answer.ts';
import { shareUnmoved } from '../support/live/live-service.ts';
import {
  codeOf,
  comeBack,
  exchangesOf as countExchanges,
  launched,
  returnUrl,
  signedIn,
} from '../support/live/steps.ts';

const scene = shareUnmoved();

async function statusOf(started: Started): Promise<unknown> {
  return (await scene().bank.status(started)).data['status'];
}

const exchangesOf = (started: Started) => countExchanges(scene(), started);

/** The error that the application gets instead of a code. */
const errorOf = ({ location }: Visit) => location?.searchParams.get('error');

const guess = () => ({ completion_code: randomBytes(32).toString('base64url') });

describe('threat 4: a relayed authorization link', () => {
  it('is worth nothing without the code of the browser that finished', async () => {
    const { bank } = scene();
    const started = await bank.startRedirect();
    const code = await signedIn(scene(), started);
    for (const extra of [{}, guess()]) {
      const refused = await bank.redeem(started, extra);
      expect([refused.status, refused.code]).toEqual([409, 'attempt.completion_required']);
      expect(refused.text).not.toContain('mft_');
    }
    const issued = await bank.redeem(started, { completion_code: code });
    expect(issued.status).toBe(200);
  });

  it('ends after five guesses, for the right code too', async () => {
    const { bank } = scene();
    const started = await bank.startRedirect();
    const code = await signedIn(scene(), started);
    for (const _ of [1, 2, 3, 4, 5]) {
      const refused = await bank.redeem(started, guess());
      expect([refused.status, refused.code]).toEqual([409, 'attempt.completion_required']);
    }
    const late = await bank.redeem(started, { completion_code: code });
    expect([late.status, late.code]).toEqual([409, 'attempt.failed']);
    expect(await statusOf(started)).toBe('failed');
  });

  it('is launched in one browser only', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const first = await launched(started);
    const second = new PersonBrowser();
    const page = await second.press(await second.open(started.authorization_url));
    expect([page.status, page.location]).toEqual([403, null]);
    expect(page.headers.get('set-cookie')).toBeNull();
    expect(page.html).not.toContain(encodeURIComponent(provider.session(started.attempt_id).state));
    // The first browser may press again and keeps its secret.
    const [...cookies] = first.cookies;
    const again = await first.press(await first.open(started.authorization_url));
    expect([again.status, [...first.cookies]]).toEqual([200, cookies]);
    provider.approve(started.attempt_id);
    expect(codeOf(await comeBack(scene(), started, first))).toMatch(/^[\w-]{43}$/);
  });

  it('leads to the provider’s own address, not a character changed, and says where to', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const browser = new PersonBrowser();
    const page = await browser.open(started.authorization_url);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("form-action 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    const { state, nonce } = provider.session(started.attempt_id);
    for (const secret of [started.attempt_token, state, encodeURIComponent(state), nonce]) {
      expect(page.html).not.toContain(secret);
    }
    const { headers, html } = await browser.press(page);
    const address = addressWith({ ui_locales: 'en', state, nonce });
    expect(headers.get('refresh')).toBe(`0;url=${address}`);
    expect(html).toContain(`href="${address.replaceAll('&', '&amp;')}"`);
  });

  it('is not launched by programs that follow links', async () => {
    const { bank } = scene();
    const started = await bank.startRedirect();
    const looks = [1, 2, 3].map(() => new PersonBrowser().open(started.authorization_url));
    expect((await Promise.all(looks)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(codeOf(await finish(started))).toMatch(/^[\w-]{43}$/);
  });

  it('is not completed by asking the provider, whatever the browser has done', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    await launched(started);
    provider.approve(started.attempt_id);
    const asked = [bank.status(started), bank.redeem(started), bank.confirm(started)];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 409, 409]);
    expect(await statusOf(started)).toBe('pending');
    expect(exchangesOf(started)).toBe(0);
  });
});

async function finish(started: Started) {
  const browser = await launched(started);
  scene().provider.approve(started.attempt_id);
  return comeBack(scene(), started, browser);
}

describe('threat 4: a relayed address of the provider', () => {
  it('an approval in another browser is no good to the one that launched', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const attacker = await launched(started);
    const { state } = provider.session(started.attempt_id);
    provider.approve(started.attempt_id);
    const victim = new PersonBrowser();
    expect((await comeBack(scene(), started, victim)).status).toBe(403);
    expect(await statusOf(started)).toBe('pending');
    const taken = await comeBack(scene(), started, attacker);
    expect([taken.status, taken.location]).toEqual([403, null]);
    expect(taken.html).not.toContain(state);
    expect(exchangesOf(started)).toBe(0);
    expect(await statusOf(started)).toBe('failed');
    expect((await bank.redeem(started)).code).toBe('attempt.failed');
    expect((await attacker.open(started.authorization_url)).status).toBe(404);
  });

  it('a victim who comes back after the attacker still ends what was not redeemed', async () => {
    const { bank } = scene();
    const started = await bank.startRedirect();
    const attacker = await launched(started);
    scene().provider.approve(started.attempt_id);
    const code = codeOf(await comeBack(scene(), started, attacker));
    expect((await comeBack(scene(), started, new PersonBrowser())).status).toBe(403);
    const redeemed = await bank.redeem(started, { completion_code: code });
    expect([redeemed.status, redeemed.code]).toEqual([409, 'attempt.failed']);
  });

  it('a victim who comes back while the attacker’s exchange is under way ends it', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const attacker = await launched(started);
    provider.approve(started.attempt_id);
    const [first, second] = await Promise.all([
      comeBack(scene(), started, attacker),
      comeBack(scene(), started, new PersonBrowser()),
    ]);
    expect(second.status).toBe(403);
    const code = first.location === null ? '' : codeOf(first);
    const redeemed = await bank.redeem(started, { completion_code: code });
    expect([redeemed.status, redeemed.code]).toEqual([409, 'attempt.failed']);
  });

  it('a victim is looked at however often the attacker has come back before', async () => {
    const { bank } = scene();
    const started = await bank.startRedirect();
    await launched(started);
    for (let count = 0; count < 30; count += 1) {
      expect((await comeBack(scene(), started, new PersonBrowser())).status).toBe(403);
    }
  });

  it.each([401, 403, 404])(
    'the provider’s no, as %i, is the end of the one try',
    async (status) => {
      const { bank, provider } = scene();
      const started = await bank.startRedirect();
      const attacker = await launched(started);
      provider.answer('exchange', (_call, response) => {
        response.writeHead(status, { 'content-type': 'text/html' }).end('<p>not yet</p>');
      });
      const early = await comeBack(scene(), started, attacker);
      provider.answer('exchange', provider.honest('exchange'));
      expect(early.location).toBeNull();
      expect(await statusOf(started)).toBe('failed');
      provider.approve(started.attempt_id);
      expect((await comeBack(scene(), started, attacker)).location).toBeNull();
    },
  );
});

describe('threat 5: login CSRF', () => {
  it('refuses a right state in a browser without the cookie, and asks nobody', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    await launched(started);
    provider.approve(started.attempt_id);
    const victim = new PersonBrowser();
    const page = await comeBack(scene(), started, victim);
    expect([page.status, page.location]).toEqual([403, null]);
    expect(page.html).not.toContain(started.attempt_id);
    expect(scene().log()).toMatch(/"status":403,.*"code":"callback.browser_mismatch"/);
    expect(exchangesOf(started)).toBe(0);
    expect(await statusOf(started)).toBe('pending');
  });

  it('refuses a state that was never launched', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    provider.approve(started.attempt_id);
    expect((await comeBack(scene(), started, new PersonBrowser())).status).toBe(403);
    expect(exchangesOf(started)).toBe(0);
    expect(await statusOf(started)).toBe('pending');
  });

  it.each([
    ['the cookie of another attempt', (name: string, value: string) => [[name, value]]],
    ['the value of another cookie', (_name: string, value: string, own: string) => [[own, value]]],
    ['an empty cookie', (_name: string, _value: string, own: string) => [[own, '']]],
  ])('refuses %s', async (_, cookiesFrom) => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const other = await bank.startRedirect();
    await launched(started);
    provider.approve(started.attempt_id);
    const [[name = '', value = ''] = []] = (await launched(other)).cookies;
    const browser = new PersonBrowser();
    const cookies = cookiesFrom(name, value, `__Host-miftah_${started.attempt_id}`);
    for (const [key = '', content = ''] of cookies) browser.cookies.set(key, content);
    expect((await comeBack(scene(), started, browser)).status).toBe(403);
    expect(exchangesOf(started)).toBe(0);
    expect(await statusOf(started)).toBe('pending');
  });

  it.each([
    ['first', (pair: string[]) => pair],
    ['second', (pair: string[]) => pair.toReversed()],
  ])('refuses a cookie that comes twice, the right one %s', async (_, ordered) => {
    const { anybody, bank, provider } = scene();
    const started = await bank.startRedirect();
    const [[name = '', value = ''] = []] = (await launched(started)).cookies;
    provider.approve(started.attempt_id);
    const { search } = new URL(returnUrl(scene(), started));
    const cookie = ordered([`${name}=${value}`, `${name}=${value.toLowerCase()}`]).join('; ');
    expect((await anybody.get(`/callback${search}`, { cookie })).status).toBe(403);
    expect(exchangesOf(started)).toBe(0);
  });

  it('reads no cookie and no token of a form that another site has posted', async () => {
    const { bank, provider, origin } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id);
    const { state } = provider.session(started.attempt_id);
    const id_token = provider.redirectToken(started.attempt_id);
    const posted = await browser.submit(`${origin}/api/v1/callback`, { state, id_token });
    expect([posted.status, exchangesOf(started)]).toEqual([200, 0]);
    expect(posted.location?.searchParams.get('state')).toBe(state);
    expect([...(posted.location?.searchParams.keys() ?? [])]).toEqual(['state']);
    const back = await browser.open(posted.location ?? '');
    expect(codeOf(back)).toMatch(/^[\w-]{43}$/);
  });
});

describe('the return of the browser', () => {
  it('is exchanged once, however often it comes at once, and one code is good', async () => {
    const { bank } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    scene().provider.approve(started.attempt_id);
    const backs = await Promise.all([1, 2, 3, 4].map(() => comeBack(scene(), started, browser)));
    expect(backs.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    expect(exchangesOf(started)).toBe(1);
    const codes = new Set(backs.map(codeOf));
    expect(codes.size).toBe(4);
    const answers = [];
    for (const code of codes) answers.push(await bank.redeem(started, { completion_code: code }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('renews the code for the same browser; the one before is dead', async () => {
    const { bank } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    scene().provider.approve(started.attempt_id);
    const first = codeOf(await comeBack(scene(), started, browser));
    const second = codeOf(await comeBack(scene(), started, browser));
    expect((await bank.redeem(started, { completion_code: first })).status).toBe(409);
    expect((await bank.redeem(started, { completion_code: second })).status).toBe(200);
    const late = await comeBack(scene(), started, browser);
    expect([late.status, late.location]).toEqual([404, null]);
    expect(exchangesOf(started)).toBe(1);
  });

  it('before the approval ends the attempt: the state can’t be tried until it works', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    const early = await comeBack(scene(), started, browser);
    expect([early.status, errorOf(early)]).toEqual([303, 'access_denied']);
    expect(await statusOf(started)).toBe('rejected');
    provider.approve(started.attempt_id);
    expect(errorOf(await comeBack(scene(), started, browser))).toBe('access_denied');
    expect(exchangesOf(started)).toBe(1);
    expect((await bank.redeem(started)).code).toBe('attempt.rejected');
  });

  it('ends the attempt when the answer to its exchange is lost', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.answer('exchange', cut);
    const lost = await comeBack(scene(), started, browser);
    expect([lost.status, lost.location]).toEqual([504, null]);
    expect(await statusOf(started)).toBe('failed');
    provider.answer('exchange', provider.honest('exchange'));
    provider.approve(started.attempt_id);
    expect((await comeBack(scene(), started, browser)).status).toBe(404);
    expect(exchangesOf(started)).toBe(1);
  });

  it('can be repeated after an outage, in which no state is spent', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id);
    provider.answer('exchange', text('down for a moment: detail-canary', 503));
    const down = await comeBack(scene(), started, browser);
    expect([down.status, down.html.includes('detail-canary')]).toEqual([503, false]);
    expect(await statusOf(started)).toBe('pending');
    provider.answer('exchange', provider.honest('exchange'));
    // The person, who knows no code of an error, has a link that completes the sign-in.
    expect(down.html).toContain('مزوّد الهوية لا يستجيب الآن');
    expect(down.html).not.toContain('provider.unavailable');
    const [, again = ''] = /<a href="([^"]+)"[^>]*data-testid="again"/.exec(down.html) ?? [];
    const next = new URL(again.replaceAll('&amp;', '&'), down.url);
    expect(codeOf(await browser.open(next))).toMatch(/^[\w-]{43}$/);
  });
});
