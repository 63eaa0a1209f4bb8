import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  signInForAuthJs,
  type AuthJsSignIn,
  type AuthJsSignInOptions,
} from '@miftah/client/auth-js';
import { expect, it, onTestFinished } from 'vitest';
import { clientOf } from '../support/client/client-for-test.ts';
import { serveWeb } from '../support/client/frameworks.ts';
import { signInByBrowser } from '../support/client/person.ts';
import { Visitor } from '../support/client/visitor.ts';
import { shareListeningService } from '../support/service/listening-service.ts';

/** What Auth.js is asked at the end of a sign-in. The library itself is tried in auth-libraries/. */

const service = shareListeningService();

interface Asked {
  readonly cookie: string | null;
  readonly form: Readonly<Record<string, unknown>>;
  readonly user: unknown;
}

/** An application with what stands for Auth.js: it takes a form with its token and a known ticket. */
async function openApplication(options: Partial<AuthJsSignInOptions> = {}) {
  const asked: Asked[] = [];
  const signIns: AuthJsSignIn[] = [];
  const auth = async (request: Request): Promise<Response> => {
    const { headers } = request;
    if (request.method === 'GET') {
      const set = { 'set-cookie': 'csrf=fresh; Path=/; HttpOnly' };
      return Response.json({ csrfToken: 'token' }, { headers: set });
    }
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    const user = await signIns[0]?.provider.authorize(form);
    asked.push({ cookie: headers.get('cookie'), form, user });
    const location = user === null ? '/auth/error' : (form['callbackUrl'] ?? '');
    const set = user === null ? '' : 'session=begun; Path=/; HttpOnly';
    return new Response(null, { status: 302, headers: { location, 'set-cookie': set } });
  };
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const appUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const secret = 'a secret of this test, which is long enough';
  const signIn = signInForAuthJs({ client: clientOf(service()), appUrl, secret, auth, ...options });
  signIns.push(signIn);
  server.on(
    'request',
    serveWeb(async (request) => (await signIn.handle(request)) ?? new Response('home')),
  );
  return { visitor: new Visitor(appUrl), asked, signIn, appUrl };
}

/** @returns the answer to the return of the browser */
async function comeBack(visitor: Visitor): Promise<Response> {
  const started = await visitor.post('/sign-in/start', { locale: 'en' });
  const back = await signInByBrowser({ authorizationUrl: started.headers.get('location') ?? '' });
  return visitor.get(back.pathname + back.search, { cookie: 'csrf=stale; lang=en' });
}

it('Auth.js is asked with the cookies of the browser, and its own token against other sites', async () => {
  const { visitor, asked, appUrl } = await openApplication({ redirectTo: '/home' });
  const answer = await comeBack(visitor);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `${appUrl}/home`]);
  expect(answer.headers.getSetCookie()).toContain('session=begun; Path=/; HttpOnly');
  const [{ form, cookie, user } = { form: {}, cookie: '', user: null }] = asked;
  expect(form).toMatchObject({ csrfToken: 'token', callbackUrl: `${appUrl}/home` });
  expect(cookie).toContain('csrf=fresh');
  expect(cookie).not.toContain('stale');
  expect(user).toEqual({ id: '1', name: expect.any(String) as string });
});

it('a ticket is good for the sign-in that it was made for, and for nothing afterwards', async () => {
  const { visitor, asked, signIn: made } = await openApplication();
  await comeBack(visitor);
  expect(asked[0]?.form['ticket']).toMatch(/^[\d.]{40,}$/);
  for (const ticket of [asked[0]?.form['ticket'], 'guess', undefined]) {
    expect(await made.provider.authorize({ ticket })).toBeNull();
  }
});

it('somebody whom the application does not know is led where Auth.js leads, without a session', async () => {
  const { visitor } = await openApplication({ profile: () => null });
  const answer = await comeBack(visitor);
  expect(answer.headers.get('location')).toBe('/auth/error');
  expect(String(answer.headers.getSetCookie())).not.toContain('session');
});

it('a start that was refused is told to the logger of Auth.js', async () => {
  const told: Error[] = [];
  const logger = { error: (error: Error) => void told.push(error) };
  const { visitor } = await openApplication({ logger });
  const answer = await visitor.post('/sign-in/start', { national_id: '12345' });
  expect(answer.headers.get('location')).toBe('/?sign_in=refused&code=validation.failed');
  expect(told).toMatchObject([{ code: 'validation.failed' }]);
});

const nothing = async () => Response.json({});

it('an application without Auth.js at that place is told so', async () => {
  const { visitor } = await openApplication({ auth: nothing });
  await expect(comeBack(visitor)).rejects.toThrow();
});
