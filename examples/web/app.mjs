/** Signs people in with @miftah/client, by browser and by phone. README.md has the settings. */
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { createClient } from '@miftah/client';
import { signInForExpress } from '@miftah/client/express';
import { assets, errorPage, homePage, phonePage } from './pages.mjs';
import { localeOf, redirect, send, serve, Sessions } from './serve.mjs';

const { MIFTAH_URL = 'http://127.0.0.1:3000/api/v1', MIFTAH_KEY } = process.env;
const { PORT = '8080', APP_SECRET } = process.env;
const { APP_URL = `http://127.0.0.1:${PORT}` } = process.env;
const miftah = createClient({ baseUrl: MIFTAH_URL, clientKey: MIFTAH_KEY });

/** @type {Sessions<import('@miftah/client').ApiToken>} */
const sessions = new Sessions(APP_URL);

const pages = {
  ...assets,
  /** @param {import('./serve.mjs').Context} context */
  '/': ({ request, locale, query }) =>
    homePage(locale, sessions.of(request)?.user, query.get('ended')),
};

/** @param {import('./serve.mjs').Incoming} request */
async function endSession(request) {
  const token = sessions.end(request);
  if (token) await miftah.revoke(token.token);
}

serve(
  APP_URL,
  pages,
  signInForExpress({
    client: miftah,
    appUrl: APP_URL,
    secret: APP_SECRET ?? randomBytes(32).toString('hex'),
    waitingPage: phonePage,
    addressOf: ({ socket }) => socket.remoteAddress,
    signedIn: async (token, request, response) => {
      await endSession(request);
      sessions.begin(token, response);
      redirect('/', response);
    },
    ended: async (end, request, response) => {
      if (end.outcome !== 'refused') return redirect(`/?ended=${end.outcome}`, response);
      console.error(end.error);
      return send(errorPage(localeOf(request), end.error, end.nationalId), response);
    },
    signedOut: async (request, response) => {
      await endSession(request);
      redirect('/', response);
    },
  }),
);
