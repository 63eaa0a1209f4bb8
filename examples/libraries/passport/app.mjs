/** Signs people in with Passport and @miftah/client, by browser and by phone. README.md says how. */
import process from 'node:process';
import { createClient } from '@miftah/client';
import { signInForPassport } from '@miftah/client/passport';
import express from 'express';
import session from 'express-session';
import passport from 'passport';

const { MIFTAH_URL, MIFTAH_KEY, APP_SECRET, PORT = '8080' } = process.env;
const { APP_URL = `http://127.0.0.1:${PORT}` } = process.env;
const client = createClient({ baseUrl: MIFTAH_URL, clientKey: MIFTAH_KEY });

// What any application with Passport has. Use the store of your sessions, and your own users.
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));
const app = express();
const cookie = { sameSite: 'lax', secure: APP_URL.startsWith('https:') };
app.use(session({ secret: APP_SECRET, resave: false, saveUninitialized: false, cookie }));
app.use(passport.session());

// The sign-in.
passport.use(signInForPassport({ client, appUrl: APP_URL, secret: APP_SECRET, locale: 'en' }));
const ends = { successRedirect: '/', failureRedirect: '/', failureMessage: true };
app.use(passport.authenticate('miftah', ends));

const FORMS = `<form method="post" action="/sign-in/start"><button>Sign in</button></form>
<form method="post" action="/sign-in/start">
  <input name="national_id" aria-label="National id" required><button>Sign in by phone</button>
</form>`;
// What Passport keeps when nobody was signed in.
const ENDS = new Map([
  ['rejected', 'You have refused.'],
  ['expired', 'The time was over. Please try again.'],
  ['cancelled', 'The sign-in was cancelled.'],
  ['provider.record_not_found', 'This national id is not right. Please check it.'],
  ['validation.failed', 'This national id is not right. Please check it.'],
]);

app.get('/', (request, response) => {
  if (request.user) return response.type('text').send(`You are ${request.user.name}`);
  const [end] = request.session.messages?.splice(0) ?? [];
  if (end === undefined) return response.send(FORMS);
  const told = ENDS.get(end) ?? 'You could not be signed in. Please try again.';
  return response.send(`<p role="alert">${told}</p>${FORMS}`);
});
app.listen(Number(PORT), '127.0.0.1', () => console.log(APP_URL));
