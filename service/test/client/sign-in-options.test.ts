import { inspect } from 'node:util';
import { createClient } from '@miftah/client';
import { signInForExpress } from '@miftah/client/express';
import { signInForFastify } from '@miftah/client/fastify';
import { signInForWeb, type SignInEnd } from '@miftah/client/web';
import { describe, expect, it, vi } from 'vitest';

const SECRET = 'a secret of this test, which is long enough';

const leadOn = () => new Response();
const saidByProxy = ({ headers }: Request) => headers.get('x-forwarded-for') ?? undefined;

describe('C-28 the options of a sign-in', () => {
  const good = {
    client: createClient({ baseUrl: 'http://127.0.0.1:1/api/v1' }),
    appUrl: 'https://shop.example',
    secret: SECRET,
    signedIn: () => undefined,
  };
  const madeOf = (options: object) => () => signInForExpress({ ...good, ...options });

  it.each([
    [{ client: undefined }, 'client is missing'],
    [{ client: null }, 'client must be what createClient gives'],
    [{ client: {} }, 'client must be what createClient gives'],
    [{ appUrl: undefined }, 'appUrl is missing'],
    [{ appUrl: null }, 'appUrl must be an address'],
    [{ appUrl: 'https://shop.example/app' }, 'appUrl must be an address without a path'],
    [{ appUrl: 'https://me@shop.example' }, 'appUrl must be an address without a path'],
    [{ appUrl: 'shop.example' }, 'appUrl must be an address'],
    [{ appUrl: 'ftp://shop.example' }, 'appUrl must be an address'],
    [{ secret: undefined }, 'secret is missing'],
    [{ secret: null }, 'secret must be a text of at least 32'],
    [{ secret: SECRET.slice(0, 31) }, 'secret must be a text of at least 32'],
    [{ secret: 'x'.repeat(64) }, 'secret must be a text of at least 32'],
    [{ secret: 'changeme'.repeat(8) }, 'secret must be a text of at least 32'],
    [{ signedIn: undefined }, 'signedIn is missing'],
    [{ signedIn: 'home' }, 'signedIn must be a function'],
    [{ ended: null }, 'ended must be a function'],
    [{ signedOut: true }, 'signedOut must be a function'],
    [{ waitingPage: '<p>' }, 'waitingPage must be a function'],
    [{ addressOf: null }, 'addressOf must be a function'],
    [{ locale: 'fr' }, 'locale must be ar or en'],
    [{ deviceName: 7 }, 'deviceName must be a text'],
    [{ path: null }, 'path must be as /sign-in'],
    [{ path: 'sign-in' }, 'path must be as /sign-in'],
    [{ path: '/sign-in/' }, 'path must be as /sign-in'],
    [
      { onSignIn: () => undefined },
      'takes { client, appUrl, secret, path, locale, deviceName, waitingPage, signedIn, ended, ' +
        'signedOut, addressOf }; not: onSignIn',
    ],
    [{ appURL: 'https://shop.example' }, 'addressOf }; not: appURL, but appUrl'],
  ])('%j is a TypeError', (options, said) => {
    expect(madeOf(options)).toThrow(TypeError);
    expect(madeOf(options)).toThrow(said);
  });

  it.each([
    ['express', signInForExpress],
    ['fastify', signInForFastify],
    ['web', signInForWeb],
  ])('are needed, and a wrong one is refused by %s, without its value', (_, signInFor) => {
    const make = signInFor as (options?: unknown) => unknown;
    for (const nothing of [undefined, null, 'client']) {
      expect(() => make(nothing)).toThrow('signedOut');
    }
    for (const wrong of [{ secret: 'a-short-secret' }, { locale: null }, { onSignIn: true }]) {
      expect(() => make({ ...good, ...wrong })).toThrow(TypeError);
      expect(() => make({ ...good, ...wrong })).not.toThrow('a-short-secret');
    }
  });

  it('of Fastify have no addressOf: Fastify says where a person is', () => {
    const options = { ...good, addressOf: () => '127.0.0.1' };
    expect(() => signInForFastify(options)).toThrow(/ended, signedOut }; not: addressOf$/);
  });

  it('answer a request from no IP address, which a visitor can write, and send nothing', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>();
    const client = createClient({ baseUrl: 'http://127.0.0.1:1/api/v1', fetch });
    const signIn = signInForWeb({ ...good, client, signedIn: leadOn, addressOf: saidByProxy });
    const headers = { origin: good.appUrl, 'x-forwarded-for': 'unknown' };
    const body = new URLSearchParams({ national_id: '1000001101' });
    const init = { method: 'POST', headers, body };
    const answer = await signIn(new Request(`${good.appUrl}/sign-in/start`, init));
    expect(answer?.status).toBe(400);
    expect(await answer?.text()).toContain('no IP address');
    expect(fetch).not.toHaveBeenCalled();
  });

  it('are good so', () => {
    const all = { path: '/account/sign-in', locale: 'en', deviceName: 'web', ended: undefined };
    expect(madeOf({ ...all, appUrl: new URL('https://shop.example/') })).not.toThrow();
  });
});

it('tells of a refused start what was typed, and no log of it', async () => {
  const ends: SignInEnd[] = [];
  const signIn = signInForWeb({
    client: createClient({ baseUrl: 'http://127.0.0.1:1/api/v1' }),
    appUrl: 'https://shop.example',
    secret: SECRET,
    signedIn: leadOn,
    ended: (end) => {
      ends.push(end);
      return leadOn();
    },
  });
  const start = async (body: URLSearchParams) =>
    signIn(
      new Request('https://shop.example/sign-in/start', {
        method: 'POST',
        headers: { origin: 'https://shop.example' },
        body,
      }),
    );
  await start(new URLSearchParams({ national_id: '12345' }));
  await start(new URLSearchParams());
  expect(ends).toMatchObject([{ outcome: 'refused', nationalId: '12345' }, { outcome: 'refused' }]);
  expect(ends.map((end) => 'nationalId' in end)).toEqual([true, false]);
  expect(inspect(ends) + JSON.stringify(ends)).not.toContain('12345');
});
