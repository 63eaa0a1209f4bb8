/** Signs people in with better-auth and @miftah/client, by browser and by phone. README.md says how. */
import process from 'node:process';
import { createClient } from '@miftah/client';
import { signInForBetterAuth } from '@miftah/client/better-auth';
import { betterAuth } from 'better-auth';
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node';
import express from 'express';

const { MIFTAH_URL, MIFTAH_KEY, APP_SECRET, PORT = '8080' } = process.env;
const { APP_URL = `http://127.0.0.1:${PORT}` } = process.env;
const client = createClient({ baseUrl: MIFTAH_URL, clientKey: MIFTAH_KEY });

// The sign-in.
const about = { client, appUrl: APP_URL, secret: APP_SECRET, locale: 'en' };
const plugins = [signInForBetterAuth(about)];
// Without a `database`, as here, users are kept in memory.
const auth = betterAuth({ baseURL: APP_URL, secret: APP_SECRET, plugins });

const FORMS = `<form method="post" action="/api/auth/miftah/start"><button>Sign in</button></form>
<form method="post" action="/api/auth/miftah/start">
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
app.all('/api/auth/{*rest}', toNodeHandler(auth));
app.get('/', async (request, response) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) });
  if (session !== null) return response.type('text').send(`You are ${session.user.name}`);
  const { code, sign_in: end = '' } = request.query;
  if (end === '') return response.send(FORMS);
  const told = ENDS.get(code ?? end) ?? 'You could not be signed in. Please try again.';
  return response.send(`<p role="alert">${told}</p>${FORMS}`);
});
app.listen(Number(PORT), '127.0.0.1', () => console.log(APP_URL));
