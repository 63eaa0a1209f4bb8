import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from 'openid-client';
import { redirectHeader, redirectPage } from '@miftah/pages';
import { OPERATOR, OPERATOR_ENTRY } from '@miftah/pages/operator';
import { pageLocale } from '../request/answer/page-locale.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { roleIn } from '../values/operator-role.ts';
import { digestOf, Secret } from '../values/secret.ts';
import { isDue, MINUTE_MS, type Ms } from '../values/time.ts';
import type { OperatorContext, OperatorPeople } from './operator-context.ts';
import { actorOf, beginSession, storeOf, type ProvenPerson } from './sessions.ts';
import { cookieOf, OperatorRefusal, setCookie } from './visit.ts';

const SECRET_BYTES = 32;
/** What the provider says of itself is read again after this time. */
const DISCOVERED_MS = 10 * MINUTE_MS;
const ANSWER_SECONDS = 5;
const MOST_GROUPS = 200;

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
    handler: async (_request, reply) => {
      const bytes = context.random.bytes(SECRET_BYTES);
      const secret = new Secret(Buffer.from(bytes).toString('base64url'));
      const address = await orFailed(context, () => leadAway(context, people, discovered, secret));
      setCookie(reply, context.url, 'miftah_operator_sign_in', secret);
      return reply.redirect(address, 303);
    },
  });
  app.route({
    method: 'GET',
    url: OPERATOR_ENTRY.back,
    handler: async (request, reply) => {
      const secret = cookieOf(request, 'miftah_operator_sign_in', context.url);
      if (secret === '') throw new OperatorRefusal('sign_in_failed');
      const person = await orFailed(context, async () => {
        const config = await discovered(context.clock.now());
        return provenBy(config, people, { secret, address: context.url + request.url });
      });
      return letIn(context, people, person, { request, reply });
    },
  });
}

type Discovered = (now: Ms) => Promise<Configuration>;

/** Loads the library with the first sign-in. A failure is not kept. */
function discovery({ issuer, clientId, clientSecret }: OperatorPeople): Discovered {
  let known: { readonly at: Ms; readonly config: Configuration } | null = null;
  return async (now) => {
    if (known !== null && !isDue(known.at + DISCOVERED_MS, DISCOVERED_MS, now)) return known.config;
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
        // The settings allow http on the own machine alone.
        // oxlint-disable-next-line typescript/no-deprecated
        ...(issuer.startsWith('http:') ? { execute: [oidc.allowInsecureRequests] } : {}),
      },
    );
    known = { at: now, config };
    return config;
  };
}

/** What only this browser and this sign-in know. The provider gets the last one as its hash. */
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
  secret: Secret,
): Promise<string> {
  const config = await discovered(clock.now());
  const oidc = await import('openid-client');
  const { expectedState, expectedNonce, pkceCodeVerifier } = checksOf(secret.reveal());
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: url + OPERATOR_ENTRY.back,
    scope: ['openid', ...roles().scopes].join(' '),
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return address.href;
}

interface Return {
  readonly secret: string;
  /** With the code, as the browser has brought it. */
  readonly address: string;
}

async function provenBy(
  config: Configuration,
  { roles }: OperatorPeople,
  { secret, address }: Return,
): Promise<ProvenPerson> {
  const oidc = await import('openid-client');
  const checks = { ...checksOf(secret), idTokenExpected: true };
  const tokens = await oidc.authorizationCodeGrant(config, new URL(address), checks);
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider of the operators gave no ID token');
  const { claim } = roles();
  return { subject: claims.sub, groups: claim === null ? [] : groupsIn(claims[claim]) };
}

function groupsIn(value: unknown): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  return listed.slice(0, MOST_GROUPS).filter((one) => typeof one === 'string');
}

/** Whoever has no role is told so, and the audit log has who it was. */
async function letIn(
  context: OperatorContext,
  { roles }: OperatorPeople,
  proven: ProvenPerson,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const { clock, store, url } = context;
  const now = clock.now();
  const actor = actorOf(proven);
  const role = roleIn(roles(), proven.subject, proven.groups);
  setCookie(reply, url, 'miftah_operator_sign_in', null);
  if (role === null) {
    await storeOf(store, { actor }).recordEvent({ at: now, action: 'operator.refused' });
    throw new OperatorRefusal('no_role');
  }
  setCookie(
    reply,
    url,
    'miftah_operator',
    await beginSession(context, { role, actor, proven }, now),
  );
  // A redirect would still be the provider's, and bring no cookie that is `Strict`.
  const locale = pageLocale(request);
  const address = `${url}${OPERATOR}?locale=${locale}`;
  return sendPage(
    reply.header('refresh', redirectHeader(address)),
    redirectPage({ locale, address }),
  );
}

/** What goes wrong between us and the provider is in the log, without what was sent. */
async function orFailed<Result>(
  { logFailure }: OperatorContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    logFailure(error, 'an operator could not be signed in');
    throw new OperatorRefusal('sign_in_failed');
  }
}
