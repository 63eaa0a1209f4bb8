/** Signs people in with Express, and waits for their phone in a page of Vue. README.md says how. */
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { createClient } from '@miftah/client';
import { signInForExpress } from '@miftah/client/express';
import express from 'express';

const { MIFTAH_URL, MIFTAH_KEY, APP_SECRET, PORT = '8080' } = process.env;
const { APP_URL = `http://127.0.0.1:${PORT}` } = process.env;
// Who has signed in, by the id in their cookie. Use the store of your sessions.
const users = new Map();

const signIn = signInForExpress({
  client: createClient({ baseUrl: MIFTAH_URL, clientKey: MIFTAH_KEY }),
  appUrl: APP_URL,
  secret: APP_SECRET,
  locale: 'en',
  // The page that is given what it waits for. Neither member has a character that HTML reads.
  waitingPage: ({ attempt: { id, random, randomExpiresAt } }) => `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Answer on your phone</title>
  <link rel="icon" href="data:,">
  <div id="app" data-id="${id}" data-random="${random}" data-expires-at="${randomExpiresAt.toISOString()}"></div>
  <script type="module" src="/page.js"></script>
</html>`,
  signedIn({ user }, request, response) {
    const id = randomUUID(); // a new id, so that one from before opens nothing
    users.set(id, user);
    response.cookie('session', id, { httpOnly: true, sameSite: 'lax' }).redirect(303, '/');
  },
});

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
app.use(signIn);
app.use('/page.js', express.static(new URL('page.js', import.meta.url).pathname));
app.get('/', (request, response) => {
  const [, session] = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? [];
  const name = users.get(session)?.name;
  if (name !== undefined) return response.type('text').send(`You are ${name}`);
  const { code, sign_in: end = '' } = request.query;
  if (end === '') return response.send(FORMS);
  const told = ENDS.get(code ?? end) ?? 'You could not be signed in. Please try again.';
  return response.send(`<p role="alert">${told}</p>${FORMS}`);
});
app.listen(Number(PORT), '127.0.0.1', () => console.log(APP_URL));
