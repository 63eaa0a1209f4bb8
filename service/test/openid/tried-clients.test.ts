import { expect, it as always } from 'vitest';
import { openTab } from '../../../scripts/browser.ts';
import { compileStandalone } from '../../../scripts/pack/compile.ts';
import { atLength } from '../../../scripts/test-length.ts';
import { openidClients } from '../../../scripts/test-packages.mjs';
import { readDocument } from '../docs/documents.ts';
import {
  atPlace,
  decideIn,
  CLIENTS,
  IN_JAVASCRIPT,
  programOf,
  shareTried,
  startApplication,
  toldTo,
  triedClients,
} from '../support/openid/tried-client.ts';

/** Libraries that nobody here wrote, unchanged, by the configuration of docs/openid.md, in Chromium. */

const LIBRARIES = [
  'passport-openidconnect',
  '@auth/express',
  'express-openid-connect',
  'oidc-client-ts',
  'better-auth',
];

/** They have a lockfile of their own. */
const it = always.runIf(openidClients.has());

const { browser, triedOf } = shareTried(triedClients(IN_JAVASCRIPT));

always('docs/openid.md names the versions that are installed', () => {
  const { dependencies } = JSON.parse(readDocument(`${CLIENTS}/package.json`)) as {
    dependencies: Record<string, string>;
  };
  const named = triedClients(IN_JAVASCRIPT).map(({ library, version }) => [library, version]);
  expect(named).toEqual(LIBRARIES.map((library) => [library, dependencies[library]]));
});

const PASSPORT = `
import session from 'express-session';
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));
app.use(session({ secret: process.env.AUTH_SECRET, resave: false, saveUninitialized: false }));
app.use(passport.session());
app.get('/login', passport.authenticate('openidconnect'));
const ends = { successRedirect: '/', failureRedirect: '/refused' };
app.get('/cb', passport.authenticate('openidconnect', ends));
app.get('/', (request, response) => json(response, request.user));
app.get('/refused', (request, response) => json(response, {}));
`;

it('passport-openidconnect', async () => {
  const { origin } = await startApplication(triedOf('passport-openidconnect'), PASSPORT);
  await using tab = await openTab(browser());
  await tab.page.goto(`${origin}/login`);
  await decideIn(tab.page);
  const told = await toldTo(tab.page, `${origin}/`);
  expect(told).toMatchObject({ given_name: 'Amal', national_id: '1000001101' });
  await tab.page.goto(`${origin}/login`);
  await decideIn(tab.page, 'refuse');
  await tab.page.waitForURL(`${origin}/refused`);
  expect(tab.complaints).toEqual([]);
});

const AUTH_JS = `
app.get('/', async (request, response) => json(response, await getSession(request, config)));
`;

async function authExpress() {
  const { origin } = await startApplication(triedOf('@auth/express'), AUTH_JS);
  await using tab = await openTab(browser());
  const signIn = async () => {
    await tab.page.goto(`${origin}/auth/signin`);
    await tab.page.getByRole('button', { name: 'Miftah' }).click();
  };
  await signIn();
  await decideIn(tab.page);
  const told = await toldTo(tab.page, `${origin}/`);
  expect(told['user']).toEqual({ name: 'Amal Salem Nasser Alnamuthaji' });
  await signIn();
  await decideIn(tab.page, 'refuse');
  await tab.page.waitForURL(/\/auth\/signin\?error=OAuthCallbackError/);
  expect(tab.complaints).toEqual([]);
}

const EXPRESS = `
import openid from 'express-openid-connect';
const { requiresAuth } = openid;
app.get('/', requiresAuth(), async (request, response) => {
  json(response, await request.oidc.fetchUserInfo());
});
app.get('/renew', requiresAuth(), async (request, response) => {
  const before = request.oidc.accessToken.access_token;
  const { access_token: after } = await request.oidc.accessToken.refresh();
  json(response, { isAnother: after !== before });
});
app.get('/again', (request, response) => response.oidc.login({ returnTo: '/' }));
app.get('/refused', (request, response) => json(response, request.query));
app.use(({ error }, request, response, next) => response.redirect(\`/refused?error=\${error}\`));
`;

async function expressOpenidConnect() {
  const { origin } = await startApplication(triedOf('express-openid-connect'), EXPRESS);
  await using tab = await openTab(browser());
  await tab.page.goto(`${origin}/`);
  await decideIn(tab.page);
  expect(await toldTo(tab.page, `${origin}/`)).toMatchObject({ given_name: 'Amal' });
  await tab.page.goto(`${origin}/renew`);
  expect(await toldTo(tab.page, `${origin}/renew`)).toEqual({ isAnother: true });
  await tab.page.goto(`${origin}/again`);
  await decideIn(tab.page, 'refuse');
  expect(await toldTo(tab.page, `${origin}/refused?*`)).toEqual({ error: 'access_denied' });
  expect(tab.complaints).toEqual([]);
}

/** These do what passport-openidconnect and better-auth do between them. */
const ALIKE = [
  ['@auth/express', authExpress],
  ['express-openid-connect', expressOpenidConnect],
] as const;
it.each(atLength(ALIKE, []))('%s', async (_, signIn) => signIn());

const BETTER_AUTH = `
import { toNodeHandler, fromNodeHeaders } from 'better-auth/node';
app.all('/api/auth/{*rest}', toNodeHandler(auth));
app.get('/', async (request, response) => {
  json(response, await auth.api.getSession({ headers: fromNodeHeaders(request.headers) }));
});
app.get('/renew', async (request, response) => {
  const headers = fromNodeHeaders(request.headers);
  const [{ id }] = await auth.api.listUserAccounts({ headers });
  const asked = { body: { accountId: id }, headers };
  const before = await auth.api.getAccessToken(asked);
  const after = await auth.api.refreshToken(asked);
  json(response, { isAnother: after.accessToken !== before.accessToken });
});
app.get('/login', (request, response) => response.type('html').send(\`<script>
  const body = JSON.stringify({
    provider: 'miftah',
    callbackURL: '/',
    errorCallbackURL: '/refused',
    scopes: ['offline_access'],
    additionalParams: { prompt: 'consent' },
  });
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  fetch('/api/auth/sign-in/social', asked)
    .then((answer) => answer.json())
    .then(({ url }) => location.assign(url));
</script>\`));
app.get('/refused', (request, response) => json(response, request.query));
`;

it('better-auth, of a person without e-mail', async () => {
  const { origin } = await startApplication(triedOf('better-auth'), BETTER_AUTH);
  await using tab = await openTab(browser());
  await tab.page.goto(`${origin}/login`);
  await decideIn(tab.page);
  const told = await toldTo(tab.page, `${origin}/`);
  const { name, email, emailVerified } = { ...(told['user'] as Record<string, unknown>) };
  expect([name, emailVerified]).toEqual(['Amal Salem Nasser Alnamuthaji', false]);
  expect(email).toMatch(/^[\w-]{22}@app\.invalid$/);
  await tab.page.goto(`${origin}/renew`);
  expect(await toldTo(tab.page, `${origin}/renew`)).toEqual({ isAnother: true });
  await tab.page.goto(`${origin}/login`);
  await decideIn(tab.page, 'refuse');
  const refused = await toldTo(tab.page, `${origin}/refused?*`);
  expect(refused['error']).toBe('access_denied');
  expect(tab.complaints).toEqual([]);
});

const PAGE = `
const tell = (told) => (document.body.textContent = JSON.stringify(told));
const sides = {
  '/login': () => users.signinRedirect(),
  '/login-for-long': () => {
    return users.signinRedirect({ scope: 'openid profile offline_access', prompt: 'consent' });
  },
  '/cb': () => users.signinCallback().then(({ profile }) => tell(profile), ({ error }) => tell({ error })),
  '/renew': async () => {
    const before = await users.getUser();
    const renewal = users.signinSilent().then(
      (after) => ({ isAnother: after.access_token !== before.access_token }),
      ({ error }) => ({ error }),
    );
    tell(await renewal);
  },
  '/silent': () => users.signinSilentCallback(),
};
await sides[location.pathname]();
`;

/** Its files come from a back end that knows nothing. */
async function startPage() {
  const { client, place } = triedOf('oidc-client-ts');
  const code = atPlace(client.configuration, place) + PAGE;
  const script = await compileStandalone(programOf(code));
  const files = `
const page = '<!doctype html><title>App</title><body><script type="module" src="/app.js"></script>';
const script = ${JSON.stringify(script)};
app.get('/app.js', (request, response) => response.type('js').send(script));
app.get('/{*path}', (request, response) => response.type('html').send(page));
`;
  return startApplication({ client: { ...client, configuration: '' }, place }, files);
}

it('oidc-client-ts', async () => {
  const { origin } = await startPage();
  await using tab = await openTab(browser());
  const shown = () => tab.page.locator('body').innerText();
  await tab.page.goto(`${origin}/login`);
  await decideIn(tab.page);
  await expect.poll(shown).toContain('"given_name":"Amal"');
  await tab.page.goto(`${origin}/renew`);
  await expect.poll(shown).toBe('{"error":"login_required"}');
  await tab.page.goto(`${origin}/login-for-long`);
  await decideIn(tab.page);
  await expect.poll(shown).toContain('"given_name":"Amal"');
  await tab.page.goto(`${origin}/renew`);
  await expect.poll(shown).toBe('{"isAnother":true}');
  await tab.page.goto(`${origin}/login`);
  await decideIn(tab.page, 'refuse');
  await expect.poll(shown).toBe('{"error":"access_denied"}');
  expect(tab.complaints).toEqual([]);
});
