/** Signs people in with Auth.js and @miftah/client, by browser and by phone. README.md says how. */
import process from 'node:process';
import { Auth } from '@auth/core';
import { ExpressAuth, getSession } from '@auth/express';
import { createClient } from '@miftah/client';
import { signInForAuthJs } from '@miftah/client/auth-js';
import express from 'express';

const { MIFTAH_URL, MIFTAH_KEY, APP_SECRET, PORT = '8080' } = process.env;
const { APP_URL = `http://127.0.0.1:${PORT}` } = process.env;
const client = createClient({ baseUrl: MIFTAH_URL, clientKey: MIFTAH_KEY });

// The sign-in. `config` is what any application with Auth.js has.
const auth = (request) => Auth(request, config);
const signIn = signInForAuthJs({ client, appUrl: APP_URL, secret: APP_SECRET, locale: 'en', auth });
const providers = [signIn.provider];
const config = { basePath: '/auth', secret: APP_SECRET, trustHost: true, providers };

const FORMS = `<form method="post" action="/sign-in/start"><button>Sign in</button></form>
<form method="post" action="/sign-in/start">
  <input name="national_id" aria-label="National id" required><button>Sign in by phone</button>
</form>`;
// Of the address that leads back when nobody was signed in.
const ENDS = new Map([
  ['rejected', 'You have refused.'],
  ['cancelled', 'The sign-in was cancelled.'],
  ['provider.record_not_found', 'This national id is not right. Please check it.'],
  ['validation.failed', 'This national id is not right. Please check it.'],
]);

const app = express();
app.use(signIn.middleware);
app.use('/auth', ExpressAuth(config));
app.get('/', async (request, response) => {
  const session = await getSession(request, config);
  if (session !== null) return response.type('text').send(`You are ${session.user.name}`);
  const { code, sign_in: end = '' } = request.query;
  if (end === '') return response.send(FORMS);
  const told = ENDS.get(code ?? end) ?? 'You could not be signed in. Please try again.';
  return response.send(`<p role="alert">${told}</p>${FORMS}`);
});
app.listen(Number(PORT), '127.0.0.1', () => console.log(APP_URL));
