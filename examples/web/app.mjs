/** Signs people in with @miftah/client, by browser and by phone. README.md has the settings. */
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { createClient, relayEvents } from '@miftah/client';
import { assets, errorPage, homePage, phonePage } from './pages.mjs';
import { BoundedMap, redirect, serve } from './serve.mjs';

const { MIFTAH_URL = 'http://127.0.0.1:3000/api/v1', MIFTAH_KEY } = process.env;
const { APP_URL = 'http://127.0.0.1:8080' } = process.env;
const miftah = createClient({ baseUrl: MIFTAH_URL, clientKey: MIFTAH_KEY });

// By the id of a session: the attempt that it has started, and the token of who has signed in.
const login = miftah.createLogin(new BoundedMap());
/** @type {Map<string, import('@miftah/client').ApiToken>} */
const tokens = new BoundedMap();

/** @type {Record<string, import('./serve.mjs').Handler>} */
const routes = {
  ...assets,
  'GET /': async ({ session, locale, query }) =>
    homePage(locale, tokens.get(session)?.user, query.get('ended')),
  'POST /login': async ({ session, setSession, locale, form, address }) => {
    const id = randomUUID(); // Never the id that came with the request: others may know that one.
    const attempt = await login.start(id, {
      locale,
      nationalId: form.get('national_id') ?? undefined, // With it by phone, without it by browser.
      returnAddress: new URL('/return', APP_URL).href,
      endUserAddress: address,
    });
    await signOut(session); // Not before: a start that is refused changes nothing.
    setSession(id);
    return redirect(attempt.authorizationUrl ?? '/phone');
  },
  'GET /phone': async ({ session, locale }) => {
    const attempt = await login.attempt(session);
    return attempt?.random === undefined ? redirect('/') : phonePage(locale, attempt);
  },
  'GET /phone/events': async ({ session, lastEventId }) => {
    const attempt = await login.attempt(session);
    return attempt ? relayEvents(attempt, { lastEventId }) : new Response(null, { status: 204 });
  },
  'GET /return': finish,
  'POST /phone/finish': finish,
  'POST /logout': async ({ session, setSession }) => {
    await signOut(session);
    setSession('');
    return redirect('/');
  },
};

/** @param {import('./serve.mjs').Context} context */
async function finish({ session, setSession, returned }) {
  const result = await login.finish(session, { returned });
  if (result.outcome === 'pending') return redirect('/phone');
  if (result.outcome !== 'authenticated') return redirect(`/?ended=${result.outcome}`);
  const id = randomUUID(); // So that the id from before the sign-in opens nothing.
  tokens.set(id, result.token);
  setSession(id);
  return redirect('/');
}

/** @param {string} session */
async function signOut(session) {
  await login.forget(session);
  const token = tokens.get(session);
  tokens.delete(session);
  if (token) await miftah.revoke(token.token);
}

serve(APP_URL, routes, errorPage);
