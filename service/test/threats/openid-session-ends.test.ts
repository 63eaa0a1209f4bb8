import { once } from 'node:events';
import { connect } from 'node:net';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CODE_SECONDS, MOST_EARLIER } from '../../src/openid/sessions/sessions.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { SECOND_MS } from '../../src/values/time.ts';
import { exchange, type Asked } from '../support/openid/openid-scene.ts';
import { ALL_SSO, openSso } from '../support/openid/sso-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';

/** What a session gave, after it has ended, in strict mode. */

const NONE = { parameters: { prompt: 'none' } };
const COOKIE = 'miftah_sso';

interface Given {
  readonly asked: Asked;
  readonly tokens: { readonly access_token: string };
}

async function isActive({ asked, tokens }: Given): Promise<boolean> {
  return (await oidc.tokenIntrospection(asked.config, tokens.access_token)).active;
}

const SHARED = 'SharedSession';
const outAt = (origin: string, hint: string) => `${origin}/openid/logout?id_token_hint=${hint}`;

describe('threat 142: what a session gave, by its own or a copied cookie,', () => {
  it('ends with it, however many answers it gave', async () => {
    const own = await openSso(onTestFinished);
    const { browser, tokens, asked } = await own.signIn('shop');
    const first = await own.answered(browser, 'desk', NONE);
    for (let count = 0; count < MOST_EARLIER; count += 1) {
      expect(await own.tryIn(browser, 'desk', NONE)).toMatchObject({ error: null });
    }
    own.advance(CODE_SECONDS * SECOND_MS);
    expect(await own.tryIn(browser, 'desk', NONE)).toMatchObject({ error: null });
    const last = await own.answered(browser, 'desk', NONE);
    expect(await isActive(last)).toBe(true);
    await browser.open(outAt(own.origin, String(tokens.id_token)));
    const all = [{ asked, tokens }, first, last];
    expect(await Promise.all(all.map(isActive))).toEqual([false, false, false]);
  });

  it('ends with it where the same person has signed in for the client again', async () => {
    const own = await openSso(onTestFinished);
    const first = await own.signIn('shop');
    const { browser } = first;
    const next = await own.signIn('shop', { browser, parameters: { prompt: 'login' } });
    await browser.open(outAt(own.origin, String(next.tokens.id_token)));
    expect(await Promise.all([first, next].map(isActive))).toEqual([false, false]);
  });

  it('is remembered for as long as it is good', async () => {
    const own = await openSso(onTestFinished);
    const { browser } = await own.signIn('shop');
    const earlier = async () => {
      await own.tryIn(browser, 'shop', NONE);
      const store = await openStoreBeside(own.service);
      const found = await store.findOpenid({
        model: SHARED,
        id: browser.cookies.get(COOKIE) ?? '',
      });
      return (JSON.parse(found?.body ?? '{}') as { earlier?: unknown[] }).earlier?.length;
    };
    expect([await earlier(), await earlier()]).toEqual([1, 2]);
    own.advance(16 * 60_000);
    expect(await earlier()).toBe(1);
  });

  it.each([
    ['in quotes', (id: string) => `${COOKIE}="${id}"`],
    [
      'after one of which the name begins with a tab',
      (id: string) => `a=b;\t${COOKIE}=c; ${COOKIE}=${id}`,
    ],
  ])('ends with it although the cookie came %s', async (_, spell) => {
    const memory = createMemoryStore();
    let between: (() => Promise<void>) | null = null;
    const store: Store = {
      ...memory,
      async changeOpenid(changes) {
        const now = between;
        between = null;
        await now?.();
        return memory.changeOpenid(changes);
      },
    };
    const own = await openSso(onTestFinished, ALL_SSO, {}, { openStore: async () => store });
    const { browser, tokens } = await own.signIn('shop');
    const others = [await own.signIn('shop'), await own.signIn('shop')];
    const asked = await own.requestOf('desk', NONE);
    const id = browser.cookies.get(COOKIE) ?? '';
    const cookie = `${spell(id)}; ${COOKIE}.sig=${browser.cookies.get(`${COOKIE}.sig`)}`;
    let logout: Promise<unknown> = Promise.resolve();
    between = async () => {
      logout = browser.open(outAt(own.origin, String(tokens.id_token)));
      // As much as it takes to end the session, if that did not wait for this answer.
      for (const other of others) {
        await other.browser.open(outAt(own.origin, String(other.tokens.id_token)));
      }
    };
    const answer = await fetch(asked.url, { headers: { cookie }, redirect: 'manual' });
    await logout;
    expect(between).toBeNull();
    const given = exchange(asked, new URL(answer.headers.get('location') ?? ''));
    await expect(given).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('ends by a logout that has no place in a session of many clients', async () => {
    const memory = createMemoryStore();
    let isFull = false;
    const store: Store = {
      ...memory,
      async findOpenid(name) {
        const found = await memory.findOpenid(name);
        if (!isFull || found === null || name.model !== SHARED) return found;
        const session = JSON.parse(found.body) as { authorizations: Record<string, object> };
        for (let index = 0; index < 2000; index += 1) {
          session.authorizations[`c${index}`] = { sid: 's'.repeat(21) };
        }
        return { ...found, body: JSON.stringify(session) };
      },
    };
    const own = await openSso(onTestFinished, ALL_SSO, {}, { openStore: async () => store });
    const { browser, tokens, asked } = await own.signIn('shop');
    isFull = true;
    const visit = await browser.open(`${own.origin}/openid/logout`);
    expect(visit.location?.pathname).toBe('/openid/logout/success');
    expect(await isActive({ asked, tokens })).toBe(false);
    expect(await own.tryIn(browser, 'shop', NONE)).toMatchObject({
      error: 'login_required',
      code: null,
    });
  });
});

/** Sends what is written, and reads what comes. */
function wire({ origin }: { readonly origin: string }) {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.on('error', () => undefined).on('data', (text) => (heard += String(text)));
  return { socket, heard: () => heard };
}

const partOf = (cookie: string, length: number) =>
  [
    'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n',
    'POST /openid/logout/confirm?sessions=shared HTTP/1.1\r\nHost: 127.0.0.1',
    `Cookie: ${cookie}\r\nContent-Type: application/x-www-form-urlencoded`,
    `Content-Length: ${length}\r\n\r\nxsrf=`,
  ].join('\r\n');

describe('threat 142: a form of a logout that is sent in part', () => {
  it('holds up no request of that session, and is answered when it has come', async () => {
    const own = await openSso(onTestFinished);
    const { browser } = await own.signIn('shop');
    const { socket, heard } = wire(own);
    const isOver = once(socket, 'close').then(() => 'the form has ended');
    socket.write(partOf(`${COOKIE}=${browser.cookies.get(COOKIE)}`, 6));
    // The form is read by now, since it came in one piece with this request.
    await expect.poll(heard).toContain('200 OK');
    const answer = own.tryIn(browser, 'desk', NONE).then(({ error }) => error);
    expect(await Promise.race([answer, isOver])).toBeNull();
    socket.write('a');
    await expect.poll(heard).toContain('303 See Other');
  });

  it('is refused where it is longer than such a form', async () => {
    const own = await openSso(onTestFinished);
    const { browser } = await own.signIn('shop');
    const { socket, heard } = wire(own);
    socket.write(partOf(`${COOKIE}=${browser.cookies.get(COOKIE)}`, 100_000) + 'a'.repeat(5000));
    await expect.poll(heard).toContain('413 Payload Too Large');
  });
});
