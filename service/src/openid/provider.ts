import {
  InvalidGrant,
  InvalidRequest,
  TemporarilyUnavailable,
} from 'oidc-provider/lib/helpers/errors.js';
import {
  Provider,
  type Context,
  type IssuedToken,
  type OidcClient,
  type RefreshToken,
} from 'oidc-provider/lib/provider.js';
import {
  ASSERTION_ALGORITHMS,
  ID_TOKEN_ALGORITHMS,
  interactionPath,
  TOKEN_AUTH_METHODS,
  type OpenidClient,
} from '../account/openid-client.ts';
import type { Client } from '../account/client.ts';
import { isPrivateUseAddress } from '../attempt/browser/return-address.ts';
import { clientInScope } from '../attempt/scenario.ts';
import { report } from '../audit/report.flow.ts';
import type { Outbound, OutboundCall } from '../outbound/outbound.port.ts';
import { textMember } from '../request/body/text-member.ts';
import type { HttpContext } from '../request/context.ts';
import type { Store } from '../store/ports/store.port.ts';
import { LOCALES } from '../values/locale.ts';
import { SECOND_MS } from '../values/time.ts';
import { addCiba } from './ciba/poll.flow.ts';
import { cibaFeature } from './ciba/start.flow.ts';
import { apartByClient, requireOwnAssertion, type AssertionClaims } from './clients/assertions.ts';
import { keepClients, mayLeadTo } from './clients/client-records.ts';
import {
  acrValues,
  birthDateOf,
  CLAIMS,
  claimsAbout,
  cutGrants,
  prolongGrant,
  settleWishes,
  writeGrantOfSignIn,
} from './claims.ts';
import { withoutResumeCookie, cookiesOf } from './cookies.ts';
import { goOnAtOnce, makeLeft, signedInBy } from './held-changes.ts';
import { pairwise } from './sessions/pairwise.ts';
import { admitHint, hintedAccount } from './phone.flow.ts';
import { signInPolicy } from './policy.ts';
import { endSession, orUnavailable, ownerOf, recordsOf } from './records.ts';
import { knownClients, logRefusals, reasonOf, tellOfUserInfo, tellOnTheWay } from './refused.ts';
import { LOGOUT_PATH, renderError } from './error-page.ts';
import { addLogout, showSignedOut, SIGNED_OUT_PATH } from './logout.ts';
import {
  addSessions,
  CODE_SECONDS,
  SESSION_MODELS,
  sessionSeconds,
  type SessionKind,
} from './sessions/sessions.ts';
import { addSingleSignOn, sharePolicy } from './sessions/single-sign-on.ts';

/**
 * Of each kind of record, in seconds. A sign-in takes as long as its attempt, and is begun before.
 * @param longest of what a client has without the person, from the sign-in on: no rotation prolongs it
 */
function lifetimes(longest: number, session: ReturnType<typeof sessionSeconds>) {
  return {
    AccessToken: 600,
    AuthorizationCode: CODE_SECONDS,
    BackchannelAuthenticationRequest: requestLifetime,
    // With a refresh token it lasts longer: `prolongGrant`.
    Grant: 900,
    IdToken: 600,
    Interaction: 900,
    PushedAuthorizationRequest: 60,
    RefreshToken: (_context: Context, token: RefreshToken) =>
      Math.max(longest - token.totalLifetime(), 1),
    Session: session,
  };
}

/** Of a request of CIBA, in seconds: longer than any push is open. */
const LONGEST_SECONDS = 900;

/** How long a request of CIBA may be asked for: what a client wishes, but no longer than we keep it. */
function requestLifetime({ oidc }: Context): number {
  const wished = textMember(oidc.params, 'requested_expiry');
  return Math.min(wished === '' ? LONGEST_SECONDS : Number(wished), LONGEST_SECONDS);
}

/** Below the origin. Discovery has its own place (RFC 8414). */
export const PATHS = {
  authorization: '/openid/authorize',
  backchannel_authentication: '/openid/backchannel',
  introspection: '/openid/introspect',
  jwks: '/openid/jwks',
  end_session: LOGOUT_PATH,
  pushed_authorization_request: '/openid/par',
  revocation: '/openid/revoke',
  token: '/openid/token',
  userinfo: '/openid/userinfo',
} as const;

const OFF = { enabled: false } as const;
const ON = { enabled: true } as const;

/**
 * So long a logout waits for other calls to end, while its browser does: as long as one of them takes.
 * Pings wait for theirs, and would leave it none.
 */
const LOGOUT_TURN_MS = 3 * SECOND_MS;

const inItsTurn = (outbound: Outbound) => (address: string, call: OutboundCall) =>
  outbound.fetch(address, { ...call, turnMs: LOGOUT_TURN_MS });

interface ProviderParts {
  /** Private JSON Web Keys, the current ones first. */
  readonly keys: readonly unknown[];
  readonly outbound: Outbound;
  readonly sessions: SessionKind;
}

/** The library as this service uses it. */
export function createProvider(
  context: HttpContext,
  { keys, outbound, sessions }: ProviderParts,
): Provider {
  const { services, settings, clock } = context;
  const { store } = services;
  const account = accounts(store);
  const issuer = settings.publicUrl;
  const longest = Math.ceil(services.tokenLifetimeMs / SECOND_MS);
  const provider = new Provider(issuer, {
    adapter: recordsOf({ ...services, clock, sessions: SESSION_MODELS[sessions] }),
    jwks: { keys },
    fetch: inItsTurn(outbound),
    routes: PATHS,
    ttl: lifetimes(longest, sessionSeconds(sessions, clock, services.tokenLifetimeMs)),
    issueRefreshToken: prolongGrant(longest),
    cookies: cookiesOf(context, sessions),
    features: {
      devInteractions: OFF,
      dPoP: OFF,
      backchannelLogout: ON,
      resourceIndicators: OFF,
      rpInitiatedLogout: {
        ...ON,
        // The page is shown by `addLogout`, also where the library would show none.
        logoutSource: () => undefined,
        postLogoutSuccessSource: (ended: Context) => showSignedOut(ended, context.settings.mode),
      },
      ciba: cibaFeature({ ...context, outbound }),
      claimsParameter: ON,
      introspection: { ...ON, allowedPolicy: mayRead(account) },
      pushedAuthorizationRequests: ON,
      revocation: { ...ON, allowedPolicy: mayRevoke },
      userinfo: ON,
    },
    interactions: {
      policy: sessions === 'own' ? signInPolicy() : sharePolicy(signInPolicy(), context),
      url: (_context: Context, { uid }: { readonly uid: string }) => interactionPath(uid),
    },
    responseTypes: ['code'],
    scopes: ['openid', 'offline_access'],
    claims: { ...CLAIMS, sid: null, iss: null },
    acrValues: acrValues(issuer),
    extraParams: { login_hint: admit },
    ...rulesOfClients(context),
    discovery: { ui_locales_supported: LOCALES, claims_locales_supported: LOCALES },
    // What was given at a sign-in has an end of its own (decision 0136).
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    findAccount: (asked: Context, accountId: string) =>
      hintedAccount(asked, accountId) ?? account(accountId, asked),
    loadExistingGrant: (authorizing: Context) => writeGrantOfSignIn(authorizing.oidc, services),
    renderError: errorPage(context),
  });
  return prepared(provider, context, sessions);
}

/**
 * Called for every request, with a hint or without. What one without `openid` is, is not specified (OpenID
 * Connect Core 1.0, section 3.1.2.1): its client would get no ID token, and find out when it reads one.
 * @throws InvalidRequest
 */
function admit(context: Context, hint: unknown, client: OidcClient): void {
  if (!textMember(context.oidc.params, 'scope').split(' ').includes('openid')) {
    throw new InvalidRequest('openid scope must be requested');
  }
  admitHint(context, hint, client);
  settleWishes(context, client);
}

/** Where nothing is hidden, whoever asks may know the clients of a file too. */
const knownOf = ({ services: { clients, rules } }: HttpContext) =>
  knownClients(clients, rules.statusShows === 'everything');

function errorPage(context: HttpContext) {
  return renderError(
    context.settings.mode === 'simulator'
      ? (refused, error) => reasonOf(refused, error, knownOf(context))
      : null,
    [PATHS.authorization, LOGOUT_PATH, SIGNED_OUT_PATH],
  );
}

/** What a client may do, how it proves who it is, and by which `sub` it knows a person. */
function rulesOfClients(context: HttpContext) {
  const { services, settings, clock } = context;
  const { clients } = services;
  return {
    subjectTypes: ['public', 'pairwise'],
    pairwiseIdentifier: pairwise(context),
    // The clients file says it: no address is asked for a list of others.
    sectorIdentifierUriValidate: () => false,
    clientAuthMethods: TOKEN_AUTH_METHODS,
    enabledJWA: {
      idTokenSigningAlgValues: ID_TOKEN_ALGORITHMS,
      clientAuthSigningAlgValues: ASSERTION_ALGORITHMS,
    },
    assertJwtClientAuthClaimsAndHeader: (_context: Context, claims: AssertionClaims) =>
      requireOwnAssertion(settings.publicUrl, claims, clock.now()),
    pkce: {
      required: (_context: Context, { clientId }: { readonly clientId: string }) =>
        clients.find(clientId)?.openid?.requiresPkce ?? true,
    },
    clientBasedCORS: (_context: Context, origin: string, { clientId }: { clientId: string }) =>
      isPageOf(clients.find(clientId), origin),
  };
}

/** Who may be told of, by their `sub`. */
function accounts(store: Store) {
  return async (accountId: string, asked?: Context) => {
    const known = asked === undefined ? null : signedInBy(asked.req, accountId);
    const user = known ?? (await orUnavailable(store.findSubject(accountId)));
    if (user === null || user.disabledAt !== null) return undefined;
    const claims = () => ({
      sub: accountId,
      ...claimsAbout(user),
      // The library reads it after the account.
      ...birthDateOf(asked?.oidc.entities['Grant']),
    });
    return { accountId, claims };
  };
}

/** Only the client that a token was given to may ask about it, and only where it can prove itself. */
function mayRead(account: ReturnType<typeof accounts>) {
  return async ({ oidc }: Context, client: OidcClient, token: IssuedToken) => {
    // The library would tell what the token was given with.
    token.scope = oidc.entities.Grant?.getOIDCScopeFiltered(token.scopes) ?? '';
    const isGood = token.kind !== 'RefreshToken' || client.grantTypeAllowed('refresh_token');
    return (
      client.clientAuthMethod !== 'none' &&
      token.clientId === client.clientId &&
      isGood &&
      (await account(token.accountId)) !== undefined
    );
  };
}

/** @throws InvalidRequest for the token of another client (RFC 7009, section 2.1) */
function mayRevoke(_context: Context, client: OidcClient, { clientId }: IssuedToken): boolean {
  if (clientId === client.clientId) return true;
  throw new InvalidRequest('the token is of another client');
}

function prepared(provider: Provider, context: HttpContext, sessions: SessionKind): Provider {
  const { clients, logFailure } = context.services;
  keepTogether(provider, context);
  withoutResumeCookie(provider, PATHS.authorization);
  // The protocol is told by a header that the routes set, whatever the connection is.
  provider.proxy = true;
  provider.on('error', (error, { req }) => {
    // A client that has left is no fault of ours, and anybody could fill the log with it.
    if (!req.socket.destroyed) logFailure(error, 'an OpenID request could not be answered');
  });
  provider.on('server_error', (_context, error) =>
    logFailure(error, 'an OpenID request could not be answered'),
  );
  provider.on('grant.error', ({ oidc: { client } }, error) => {
    if (error instanceof InvalidGrant) tellRefused(context, ownerOf(client?.clientId ?? null));
  });
  const isTold = context.settings.mode === 'simulator';
  logRefusals(provider, knownOf(context), isTold);
  tellOfUserInfo(provider);
  if (isTold) tellOnTheWay(provider);
  const pairwiseOf = pairwise(context);
  const show = errorPage(context);
  const kept = { store: context.services.store, sessions: SESSION_MODELS[sessions] };
  const end = (id: string) => endSession({ ...kept, clock: context.clock }, id);
  addSessions(provider, sessions, context);
  if (sessions === 'shared') addSingleSignOn(provider, context, end);
  addLogout(provider, {
    clients,
    sessions,
    subjectFor: async (account, client) =>
      client.subjectType === 'pairwise' ? pairwiseOf(null, account, client) : account,
    endSession: end,
    showError(shown, error) {
      // What the browser has sent is too long to be kept: the library has told of it.
      if (error instanceof InvalidRequest) {
        shown.status = 400;
        return show(shown, {}, error);
      }
      logFailure(error, 'an OpenID request could not be answered');
      shown.status = 503;
      show(shown, {}, new TemporarilyUnavailable('try again later', { cause: error }));
    },
  });
  apartByClient(provider.ReplayDetection);
  keepClients(provider, clients);
  cutGrants(provider, clients);
  addCiba(provider, context);
  provider.Client.prototype.compareClientSecret = function compare(secret) {
    // A client of a scope has the keys of the one that it is there.
    return clients.ofKey(secret)?.id === clientInScope(this.clientId).id;
  };
  provider.Client.prototype.redirectUriAllowed = function isAllowed(address) {
    return mayLeadTo(clients.find(this.clientId), 'redirectUris', address);
  };
  provider.Client.prototype.postLogoutRedirectUriAllowed = function isAllowed(address) {
    return mayLeadTo(clients.find(this.clientId), 'postLogoutRedirectUris', address);
  };
  return provider;
}

/** What an interaction is read with, and what the library has begun to change when it refuses. */
function keepTogether(provider: Provider, { services: { store } }: HttpContext): void {
  const { Interaction } = provider;
  const members = [...Interaction.IN_PAYLOAD, 'attemptId'];
  Object.defineProperty(Interaction, 'IN_PAYLOAD', { value: members });
  provider.use((asked, next) => makeLeft(store, asked, next()));
  goOnAtOnce(provider);
}

/** A code or a refresh token that a client could not use: used twice, too late, or of somebody else. */
function tellRefused({ services, clock }: HttpContext, client: string | null): void {
  report(services, { at: clock.now(), action: 'openid.refused', client }).catch((error: unknown) =>
    services.logFailure(error, 'an OpenID refusal could not be written to the audit log'),
  );
}

/** A page without a back end calls from the origin that it has its redirect address at. */
function isPageOf(client: Client | null, origin: string): boolean {
  const openid = client?.openid ?? null;
  return openid?.tokenAuthMethod === 'none' && originsOf(openid).includes(origin);
}

/** That of an application's own scheme is `null`, as is that of every sandboxed page. */
function originsOf({ redirectUris }: OpenidClient): string[] {
  return redirectUris
    .filter((address) => !isPrivateUseAddress(address))
    .map((address) => new URL(address).origin);
}
