import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration, CustomFetch } from 'openid-client';
import { textUpTo } from '@miftah/contract/text-up-to';
import { redirectHeader, redirectPage } from '@miftah/pages';
import { OPERATOR, OPERATOR_ENTRY } from '@miftah/pages/operator';
import type { ActorText } from '../audit/act.ts';
import { pageLocale } from '../request/answer/page-locale.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { networkOf, parseIpAddress } from '../values/ip-address.ts';
import { OPERATOR_REFUSALS, OPERATOR_SIGN_INS } from '../values/limits.ts';
import { parseLocale, type Locale } from '../values/locale.ts';
import { OperatorRolesError } from '../values/operator-role.ts';
import { memberOf } from '../values/member.ts';
import { digestOf, parseDigest, sameDigest, Secret } from '../values/secret.ts';
import { isDue, MINUTE_MS, type Ms } from '../values/time.ts';
import type { OperatorContext, OperatorPeople } from './operator-context.ts';
import {
  actorOf,
  beginSession,
  SignInRefused,
  storeOf,
  type ProvenPerson,
  type SignInFault,
} from './sessions.ts';
import { cookieOf, OperatorRefusal, roleOf, setCookie } from './visit.ts';

const SECRET_BYTES = 32;
/** What the provider says of itself is read again after this time. */
const DISCOVERED_MS = 10 * MINUTE_MS;
const ANSWER_SECONDS = 5;
const MOST_GROUPS = 200;
/** Of one answer of the provider: an ID token with many groups is a tenth of it. */
const ANSWER_BYTES = 1024 * 1024;
/** The cookie of a sign-in: its secret, and the language that was chosen before it. */
const BEGUN_FORM = /^([\w-]{43})\.(ar|en)$/;

/**
 * Operators sign in at their own OpenID provider: authorization code with PKCE, `state` and `nonce`,
 * which all follow from one secret of this browser, so nothing is stored before somebody is known.
 */
export function addSignIn(
  app: FastifyInstance,
  context: OperatorContext,
  people: OperatorPeople,
): void {
  const discovered = discovery(people);
  // By GET: a form would keep browsers from following to another origin (`form-action`).
  app.route({
    method: 'GET',
    url: OPERATOR_ENTRY.signIn,
    handler: async (request, reply) => {
      await takeTurn(context, request);
      const bytes = context.random.bytes(SECRET_BYTES);
      const secret = new Secret(Buffer.from(bytes).toString('base64url'));
      const begun = { secret: secret.reveal(), locale: pageLocale(request) };
      const address = await orFailed(context, () => leadAway(context, people, discovered, begun));
      const cookie = new Secret(`${begun.secret}.${begun.locale}`);
      setCookie(reply, context.url, 'miftah_operator_sign_in', cookie);
      return reply.redirect(address, 303);
    },
  });
  app.route({
    method: 'GET',
    url: OPERATOR_ENTRY.back,
    handler: async (request, reply) => {
      await takeTurn(context, request);
      const cookie = cookieOf(request, 'miftah_operator_sign_in', context.url);
      const [, secret, language = ''] = BEGUN_FORM.exec(cookie) ?? [];
      const locale = parseLocale(language) ?? pageLocale(request);
      const prove = async () => {
        const address = new URL(context.url + request.url);
        requireBegun(secret, address);
        const config = await discovered(context.clock.now());
        return provenBy(config, people, { secret, address });
      };
      const person = await orFailed(context, prove, { locale });
      return letIn(context, people, person, { reply, locale });
    },
  });
}

interface Begun {
  readonly secret: string;
  /** The provider leads back without it. */
  readonly locale: Locale;
}

/** @param secret that of the browser @throws SignInRefused */
function requireBegun(secret: string | undefined, { searchParams }: URL): asserts secret is string {
  if (secret === undefined) throw new SignInRefused('NOT_BEGUN_HERE');
  const [state = '', ...others] = searchParams.getAll('state');
  const digest = parseDigest(state);
  const isOwn = digest !== null && sameDigest(digest, checksOf(secret).expectedState);
  // The library would refuse it too, as a fault of the provider.
  if (!isOwn || others.length > 0) throw new SignInRefused('NOT_BEGUN_HERE');
}

/**
 * Whoever reaches this port makes rows and calls with it, before anybody is known.
 * @throws OperatorRefusal `too_many`
 */
async function takeTurn({ limits, clock }: OperatorContext, { ip }: FastifyRequest): Promise<void> {
  const address = parseIpAddress(ip);
  const network = address === null ? ip : networkOf(address);
  const { allowed } = await limits.consume(OPERATOR_SIGN_INS, network, clock.now());
  if (!allowed) throw new OperatorRefusal('too_many');
}

type Discovered = (now: Ms) => Promise<Configuration>;

/**
 * Loads the library with the first sign-in. Several at once are one request. While the provider does not
 * answer, what it has said before holds; without that, the next sign-in asks again.
 */
function discovery(people: OperatorPeople): Discovered {
  let known: { readonly at: Ms; readonly config: Configuration } | null = null;
  let asked: Promise<Configuration> | null = null;
  return async (now) => {
    if (known !== null && !isDue(known.at + DISCOVERED_MS, DISCOVERED_MS, now)) return known.config;
    asked ??= discover(people).finally(() => {
      asked = null;
    });
    try {
      known = { at: now, config: await asked };
    } catch (error) {
      if (known === null) throw error;
    }
    return known.config;
  };
}

async function discover({
  issuer,
  clientId,
  clientSecret,
}: OperatorPeople): Promise<Configuration> {
  const oidc = await import('openid-client');
  const secret = clientSecret.reveal();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  const config = await oidc.discovery(
    new URL(issuer),
    clientId,
    undefined,
    // OpenID Connect Discovery 1.0 section 3: without a list it is `client_secret_basic`.
    (server, ...rest) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
    },
    {
      timeout: ANSWER_SECONDS,
      [oidc.customFetch]: boundedFetch,
      // The settings allow http on the own machine alone.
      // oxlint-disable-next-line typescript/no-deprecated
      ...(issuer.startsWith('http:') ? { execute: [oidc.allowInsecureRequests] } : {}),
    },
  );
  // What leads nowhere is not kept: the next sign-in asks again.
  oidc.buildAuthorizationUrl(config, {});
  return config;
}

/** An answer without an end would fill the memory within the time that it has. */
const boundedFetch: CustomFetch = async (address, { body, ...options }) => {
  // Of all calls of a sign-in only that of the code has one, and it is a form.
  const form = body instanceof URLSearchParams ? body : null;
  const response = await fetch(address, { ...options, body: form });
  if (response.body === null) return response;
  const text = await textUpTo(response, ANSWER_BYTES);
  if (text === null) throw new AnswerTooLarge();
  const { status, statusText, headers } = response;
  return new Response(text, { status, statusText, headers });
};

class AnswerTooLarge extends Error {
  readonly code = 'ANSWER_TOO_LARGE';
}

/**
 * What only this browser and this sign-in know. The provider gets only the SHA-256 of the verifier
 * until the code is redeemed.
 */
function checksOf(secret: string) {
  return {
    expectedState: digestOf('operator', `state ${secret}`),
    expectedNonce: digestOf('operator', `nonce ${secret}`),
    pkceCodeVerifier: digestOf('operator', `verifier ${secret}`),
  };
}

async function leadAway(
  { url, clock }: OperatorContext,
  { roles }: OperatorPeople,
  discovered: Discovered,
  { secret, locale }: Begun,
): Promise<string> {
  const config = await discovered(clock.now());
  const oidc = await import('openid-client');
  const { expectedState, expectedNonce, pkceCodeVerifier } = checksOf(secret);
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: url + OPERATOR_ENTRY.back,
    scope: ['openid', ...roles().scopes].join(' '),
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ui_locales: locale,
  });
  return address.href;
}

interface Return {
  readonly secret: string;
  /** With the code, as the browser has brought it. */
  readonly address: URL;
}

async function provenBy(
  config: Configuration,
  { issuer, roles }: OperatorPeople,
  { secret, address }: Return,
): Promise<Named> {
  const oidc = await import('openid-client');
  const checks = { ...checksOf(secret), idTokenExpected: true };
  const tokens = await oidc.authorizationCodeGrant(config, address, checks);
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider of the operators gave no ID token');
  const { claim } = roles();
  const groups = claim === null ? [] : groupsIn(claims[claim]);
  const proven = { issuer, subject: claims.sub, claim, groups };
  return { ...proven, actor: actorOf(proven) };
}

interface Named extends ProvenPerson {
  readonly actor: ActorText;
}

function groupsIn(value: unknown): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  return listed.slice(0, MOST_GROUPS).filter((one) => typeof one === 'string');
}

/** Whoever has no role is told so, and the audit log has who it was. */
async function letIn(
  context: OperatorContext,
  people: OperatorPeople,
  { actor, ...proven }: Named,
  { reply, locale }: { readonly reply: FastifyReply; readonly locale: Locale },
): Promise<FastifyReply> {
  const { clock, store, url, counts } = context;
  const now = clock.now();
  const role = roleOf(people, proven);
  setCookie(reply, url, 'miftah_operator_sign_in', null);
  if (role === null) {
    const { allowed } = await counts.consume(OPERATOR_REFUSALS, digestOf('operator', actor), now);
    if (!allowed) throw new OperatorRefusal('too_many');
    await storeOf(store, { actor }).recordEvent({ at: now, action: 'operator.refused' });
    throw new OperatorRefusal('no_role', { locale, subject: proven.subject });
  }
  setCookie(
    reply,
    url,
    'miftah_operator',
    await beginSession(context, { role, actor, proven }, now),
  );
  // A redirect would still be the provider's, and bring no cookie that is `Strict`.
  const address = `${url}${OPERATOR}?locale=${locale}`;
  return sendPage(
    reply.header('refresh', redirectHeader(address)),
    redirectPage({ locale, address }),
  );
}

/** Codes of Node, of the library, and of OAuth: of these no text of the provider's can be one. */
const CODES = /^[A-Z][A-Z0-9_]{2,60}$/;
const OAUTH_CODES: ReadonlySet<unknown> = new Set([
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
]);

/** Why, without what was sent: the fault of the file of roles, or a code. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof OperatorRolesError) return error.message;
  const named = [
    memberOf(error, 'error'),
    memberOf(memberOf(error, 'cause'), 'error'),
    memberOf(memberOf(error, 'cause'), 'code'),
    memberOf(error, 'code'),
  ];
  return named.find(
    (one): one is string => typeof one === 'string' && (CODES.test(one) || OAUTH_CODES.has(one)),
  );
}

/** What a visitor can bring about alone, with an address of their own making. */
const BY_VISITORS: ReadonlySet<string> = new Set<SignInFault | 'access_denied' | 'invalid_grant'>([
  'NOT_BEGUN_HERE',
  'NO_SUBJECT',
  'access_denied',
  'invalid_grant',
]);

/** What goes wrong between us and the provider is in the log, without what was sent. */
async function orFailed<Result>(
  { logFailure, logWarning }: OperatorContext,
  work: () => Promise<Result>,
  shown: OperatorRefusal['shown'] = {},
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason !== undefined && BY_VISITORS.has(reason)) {
      logWarning(reason, 'an operator could not be signed in');
    } else {
      logFailure(error, 'an operator could not be signed in', reason);
    }
    throw new OperatorRefusal('sign_in_failed', shown);
  }
}
