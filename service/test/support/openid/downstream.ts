import type { TriedClient } from './tried-client.ts';

/**
 * An identity server that has its people signed in by the issuer, and an application that knows the
 * identity server alone: oidc-provider and openid-client, as their makers' documents say.
 */

const PROGRAM = `
import { Provider } from 'oidc-provider';
import * as oidc from 'openid-client';

const origin = 'https://app.example.com';
const APPLICATION = { client_id: 'shop', client_secret: 'a secret between these two' };

const people = new Map();
const begun = new Map();

const provider = new Provider(\`\${origin}/idp\`, {
  clients: [{ ...APPLICATION, redirect_uris: [\`\${origin}/shop/cb\`] }],
  cookies: { keys: ['k'.repeat(32)] },
  features: { devInteractions: { enabled: false } },
  claims: { openid: ['sub', 'given_name', 'national_id'] },
  conformIdTokenClaims: false,
  interactions: { url: (context, { uid }) => \`/federated/\${uid}\` },
  findAccount: (context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
  loadExistingGrant: async ({ oidc: { client, session, provider: own } }) => {
    const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope('openid');
    await grant.save();
    return grant;
  },
});

async function configured(issuer, id, secret) {
  const execute = [oidc.allowInsecureRequests];
  return oidc.discovery(new URL(issuer), id, undefined, oidc.ClientSecretBasic(secret), { execute });
}

/** @returns where the browser goes, and what its return has to have */
async function request(config, redirectUri, scope) {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { url, checks: { pkceCodeVerifier: verifier, expectedState: state } };
}

// The identity server has its person signed in by the issuer.
app.get('/federated/:uid', async (asked, response) => {
  const upstream = await configured('https://login.example.com', 'portal', process.env.CLIENT_SECRET);
  const scope = 'openid profile national_id';
  const { url, checks } = await request(upstream, \`\${origin}/federated\`, scope);
  begun.set(checks.expectedState, { uid: asked.params.uid, checks, upstream });
  response.redirect(url.href);
});

// Its cookie of the sign-in is of the path of that, so the issuer's answer goes on to there.
app.get('/federated', (asked, response) => {
  const { uid } = begun.get(asked.query.state);
  response.redirect(\`/federated/\${uid}/end?\${new URL(asked.url, origin).searchParams}\`);
});

app.get('/federated/:uid/end', async (asked, response) => {
  const { checks, upstream } = begun.get(asked.query.state);
  const back = new URL(\`/federated\${new URL(asked.url, origin).search}\`, origin);
  const result = await signedIn(upstream, back, checks);
  await provider.interactionFinished(asked, response, result);
});

async function signedIn(upstream, back, checks) {
  try {
    const tokens = await oidc.authorizationCodeGrant(upstream, back, checks);
    const { sub } = tokens.claims();
    people.set(sub, await oidc.fetchUserInfo(upstream, tokens.access_token, sub));
    return { login: { accountId: sub } };
  } catch (error) {
    if (!(error instanceof oidc.AuthorizationResponseError)) throw error;
    return { error: error.error, error_description: 'refused at the issuer' };
  }
}

// The application behind it.
const shop = () => configured(\`\${origin}/idp\`, APPLICATION.client_id, APPLICATION.client_secret);
let own;

app.get('/shop', async (asked, response) => {
  own = await request(await shop(), \`\${origin}/shop/cb\`, 'openid');
  response.redirect(own.url.href);
});

app.get('/shop/cb', async (asked, response) => {
  const config = await shop();
  const told = await oidc.authorizationCodeGrant(config, new URL(asked.url, origin), own.checks).then(
    (tokens) => tokens.claims(),
    (refused) => ({ error: refused.error }),
  );
  json(response, told);
});

app.use('/idp', provider.callback());
`;

export const DOWNSTREAM: TriedClient = {
  library: 'oidc-provider',
  version: '9.13.0',
  openid: JSON.stringify({
    redirect_uris: ['https://app.example.com/federated'],
    scope: 'openid profile national_id',
  }),
  configuration: PROGRAM,
};
