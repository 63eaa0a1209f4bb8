import { describe, expect, it, onTestFinished } from 'vitest';
import type { User } from '../../src/account/user.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { share } from '../support/at-end.ts';
import type { PersonBrowser } from '../support/live/person-browser.ts';
import { beginIn, openidBrowser, signInIn } from '../support/openid/openid-scene.ts';
import { ALL_SSO, openSso, SSO_CLIENTS, withoutSso } from '../support/openid/sso-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';

/** Attacks on single sign-on, in strict mode. */

const scene = share((atEnd) => openSso(atEnd));
const NONE = { parameters: { prompt: 'none' } };
const COOKIE = 'miftah_sso';
const ASKED = { error: 'login_required', code: null };

const cookiesOf = ({ cookies }: PersonBrowser) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** Another browser, with this one's session. */
function copyOf(browser: PersonBrowser): PersonBrowser {
  const other = openidBrowser();
  for (const name of [COOKIE, `${COOKIE}.sig`]) {
    other.cookies.set(name, browser.cookies.get(name) ?? '');
  }
  return other;
}

describe('threat 141: a request that another site makes without the person seeing it', () => {
  it.each(['iframe', 'frame', 'embed', 'object', 'image', 'empty'])(
    'is not answered as a part of a page: %s',
    async (destination) => {
      const { browser } = await scene().signIn('shop');
      const { url } = await scene().requestOf('shop', NONE);
      const headers = { cookie: cookiesOf(browser), 'sec-fetch-dest': destination };
      const answer = await fetch(url, { headers, redirect: 'manual' });
      const back = new URL(answer.headers.get('location') ?? '');
      expect(back.searchParams.get('error')).toBe('login_required');
    },
  );

  it.each(['prefetch', 'prefetch;prerender'])('is not answered ahead: %s', async (purpose) => {
    const { browser } = await scene().signIn('shop');
    const { url } = await scene().requestOf('shop', NONE);
    const headers = { cookie: cookiesOf(browser), 'sec-purpose': purpose };
    const answer = await fetch(url, { headers, redirect: 'manual' });
    const back = new URL(answer.headers.get('location') ?? '');
    expect(back.searchParams.get('error')).toBe('login_required');
  });

  it('has no cookie of the session, which is of this site alone and hidden from pages', async () => {
    const browser = openidBrowser();
    const asked = await scene().requestOf('shop');
    let visit = await browser.open(await signInIn(browser, await beginIn(browser, asked)));
    while (visit.location?.pathname.startsWith('/openid/') === true) {
      visit = await browser.open(visit.location);
    }
    const lines = visit.headers.getSetCookie().filter((line) => line.startsWith(COOKIE));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/; path=\/; samesite=lax; httponly$/i);
    }
  });

  it('over https is set by no other host of the domain', async () => {
    const { sessionCookie } = await import('../../src/openid/sessions/sessions.ts');
    expect(sessionCookie('https://login.example.test', 'shared')).toBe(`__Host-${COOKIE}`);
  });

  it('gives a code to the address of its client alone', async () => {
    const { browser } = await scene().signIn('shop');
    const { url } = await scene().requestOf('shop', NONE);
    url.searchParams.set('redirect_uri', 'https://evil.example.test/cb');
    const visit = await browser.open(url);
    expect([visit.status, visit.location]).toEqual([400, null]);
  });
});

describe('threat 141: a sign-in that is forced on somebody', () => {
  it('begins no session in a browser that has not launched it', async () => {
    const attacker = openidBrowser();
    const asked = await scene().requestOf('shop');
    let { location } = await attacker.open(
      await signInIn(attacker, await beginIn(attacker, asked)),
    );
    const victim = openidBrowser();
    for (let step = 0; step < 4 && location !== null; step += 1) {
      const visit = await victim.open(location);
      expect(visit.status).toBeGreaterThanOrEqual(400);
      if (!location.pathname.startsWith('/openid/')) break;
      ({ location } = await attacker.open(location));
      if (location?.href.startsWith(asked.redirectUri) === true) break;
    }
    expect([...victim.cookies.keys()]).not.toContain(COOKIE);
    expect(await scene().tryIn(victim, 'shop', NONE)).toMatchObject(ASKED);
  });

  it('that its client does not take, because it is of somebody else, begins none', async () => {
    const { tokens } = await scene().signIn('shop');
    const browser = openidBrowser();
    const parameters = { id_token_hint: String(tokens.id_token) };
    const other = scene().signIn('shop', { browser, person: 'faisal', parameters });
    await expect(other).rejects.toMatchObject({ error: 'login_required' });
    expect(await scene().tryIn(browser, 'shop', NONE)).toMatchObject(ASKED);
  });
});

describe('threat 142: the cookie of a session, stolen or set by somebody else,', () => {
  it('is good for nothing after a logout', async () => {
    const { browser, tokens } = await scene().signIn('shop');
    const thief = copyOf(browser);
    await scene().answered(thief, 'shop', NONE);
    const hint = String(tokens.id_token);
    await browser.open(`${scene().origin}/openid/logout?id_token_hint=${hint}`);
    expect(await scene().tryIn(thief, 'shop', NONE)).toMatchObject(ASKED);
  });

  it('is good for nothing after the next sign-in', async () => {
    const { browser } = await scene().signIn('shop');
    const thief = copyOf(browser);
    await scene().signIn('shop', { browser, parameters: { prompt: 'login' } });
    expect(await scene().tryIn(thief, 'shop', NONE)).toMatchObject(ASKED);
    await scene().answered(browser, 'shop', NONE);
  });

  it('is another one after a sign-in, whatever the browser had', async () => {
    const attacker = await scene().signIn('shop', { person: 'faisal' });
    const planted = attacker.browser.cookies.get(COOKIE);
    for (const victim of [copyOf(attacker.browser), openidBrowser()]) {
      if (!victim.cookies.has(COOKIE)) victim.cookies.set(COOKIE, 'p'.repeat(21));
      await scene().signIn('shop', { browser: victim, parameters: { prompt: 'login' } });
      expect(victim.cookies.get(COOKIE)).not.toBe(planted);
      expect(victim.cookies.get(COOKIE)).not.toBe('p'.repeat(21));
    }
    // Not of the person who has signed in where it was set.
    const { code, visit } = await scene().tryIn(attacker.browser, 'shop', NONE);
    expect([code, visit.location?.searchParams.get('error')]).toEqual([null, 'login_required']);
  });

  it('is not taken unsigned, or in the place of that of another kind', async () => {
    const { browser } = await scene().signIn('shop');
    const unsigned = copyOf(browser);
    unsigned.cookies.delete(`${COOKIE}.sig`);
    expect(await scene().tryIn(unsigned, 'shop', NONE)).toMatchObject(ASKED);
    const alone = await scene().signIn('alone');
    const swapped = openidBrowser();
    for (const end of ['', '.sig']) {
      swapped.cookies.set(COOKIE + end, alone.browser.cookies.get(`miftah_session${end}`) ?? '');
    }
    expect(await scene().tryIn(swapped, 'shop', NONE)).toMatchObject(ASKED);
  });

  it('does not give lasting access, which the person is asked for each time', async () => {
    const { browser } = await scene().signIn('shop');
    const parameters = { prompt: 'none', scope: 'openid offline_access' };
    const { tokens } = await scene().answered(browser, 'shop', { parameters });
    expect(tokens.refresh_token).toBeUndefined();
  });
});

type Stop = (store: Store, user: User) => Promise<unknown>;

const STOPS: Readonly<Record<string, Stop>> = {
  'user disable': (store, { id }) => store.disableUser(id, Date.now()),
  'user disable, and enable': async (store, { id }) => {
    await store.disableUser(id, Date.now());
    await store.enableUser(id, Date.now());
  },
  'user erase': (store, { id }) =>
    store.eraseUser({ userId: id, at: Date.now(), pushesOf: [], keepsOut: null }),
  'revoke --user': (store, { id }) => store.revokeAll(Date.now(), { userId: id }),
  'revoke --client of the first client': (store) => store.revokeAll(Date.now(), { client: 'shop' }),
  'revoke --client of the next one': (store) => store.revokeAll(Date.now(), { client: 'desk' }),
  'revoke --all': (store) => store.revokeAll(Date.now(), 'all'),
};

describe('threat 143: the session of a person who was stopped', () => {
  it.each(Object.entries(STOPS))('answers nobody after %s', async (_, stop) => {
    const own = await openSso(onTestFinished);
    const { browser, claims } = await own.signIn('shop');
    const store = await openStoreBeside(own.service);
    const user = await store.findSubject(String(claims.sub));
    if (user === null) throw new Error('nobody has this sub');
    await stop(store, user);
    for (const id of ['shop', 'desk'] as const) {
      expect(await own.tryIn(browser, id, NONE)).toMatchObject({ code: null });
    }
    expect(await own.tryIn(browser, 'desk')).toMatchObject({ code: null, isAsked: true });
  });

  it.each([
    ['removed', [SSO_CLIENTS.desk]],
    ['without sso', [withoutSso(SSO_CLIENTS.shop), SSO_CLIENTS.desk]],
  ])('that a client has begun which is %s answers nobody', async (_, changed) => {
    const own = await openSso(onTestFinished);
    const { browser } = await own.signIn('shop');
    await own.reload(changed);
    expect(await own.tryIn(browser, 'desk', NONE)).toMatchObject(ASKED);
  });

  it('answers no client whose sso is taken out, and none that is removed', async () => {
    const own = await openSso(onTestFinished);
    const { browser } = await own.signIn('shop');
    await own.answered(browser, 'desk', NONE);
    await own.reload([SSO_CLIENTS.shop, withoutSso(SSO_CLIENTS.desk)]);
    expect(await own.tryIn(browser, 'desk', NONE)).toMatchObject(ASKED);
    const { url } = await own.requestOf('desk', NONE);
    await own.reload([SSO_CLIENTS.shop]);
    expect((await browser.open(url)).status).toBe(400);
    await own.answered(browser, 'shop', NONE);
  });

  it('is not that of another scope of the simulation', async () => {
    const own = await openSso(onTestFinished);
    const { browser } = await own.signIn('shop');
    const { url } = await own.requestOf('shop', NONE);
    url.searchParams.set('client_id', 'shop@worker-1');
    const back = (await browser.open(url)).location;
    expect(back?.searchParams.get('error')).toBe('login_required');
  });
});

describe('threat 143: a command in the very moment of an answer', () => {
  it.each([
    ['is read', 'findOpenid'],
    ['has been read', 'continueOpenid'],
    ['is written with what it gives', 'changeOpenid'],
  ] as const)('as the session %s leaves neither a token nor the session', async (_, moment) => {
    const memory = createMemoryStore();
    let user: User | null = null;
    let isPlanned = false;
    const hook = async (call: string) => {
      if (!isPlanned || call !== moment || user === null) return;
      isPlanned = false;
      await memory.revokeAll(Date.now(), { userId: user.id });
    };
    const store: Store = {
      ...memory,
      async consumeAttempt(change) {
        const consumed = await memory.consumeAttempt(change);
        user = consumed?.user ?? user;
        return consumed;
      },
      findOpenid: async (name) => {
        if (name.model === 'SharedSession') await hook('findOpenid');
        return memory.findOpenid(name);
      },
      continueOpenid: async (change) => {
        await hook('continueOpenid');
        return memory.continueOpenid(change);
      },
      changeOpenid: async (changes) => {
        await hook('changeOpenid');
        return memory.changeOpenid(changes);
      },
    };
    const openStore = async () => store;
    const own = await openSso(onTestFinished, ALL_SSO, {}, { openStore });
    const { browser } = await own.signIn('shop');
    isPlanned = true;
    const ends = await Promise.allSettled([own.answered(browser, 'desk', NONE)]);
    expect(isPlanned).toBe(false);
    expect(ends[0]?.status).toBe('rejected');
    expect(await own.tryIn(browser, 'shop', NONE)).toMatchObject(ASKED);
    expect(own.service.logLines.filter((line) => line.includes('could not be answered'))).toEqual(
      [],
    );
  });
});
