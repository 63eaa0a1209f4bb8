import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Provider } from 'oidc-provider/lib/provider.js';
import {
  firstKeys,
  parseSigningKeys,
  published,
  READ_AGAIN_MS,
  SIGNING_KEYS,
} from '../account/openid-keys.ts';
import { Refusal } from '../errors/refusal.ts';
import { takeFormsUnread } from '../request/body/forms.ts';
import { headersAtEnd, limitByAddress } from '../request/caller/caller.ts';
import type { Outbound } from '../outbound/outbound.port.ts';
import type { HttpContext } from '../request/context.ts';
import { refuseOverload } from '../request/request-head.ts';
import { RATE_POLICIES } from '../values/limits.ts';
import { isDue } from '../values/time.ts';
import { inScopes } from './clients/client-records.ts';
import { DISCOVERY_PATH, LOGOUT_PATH } from './error-page.ts';
import { addInteraction, showAtOnce, type InteractionParts } from './interaction.route.ts';
import type { Launching } from './launching.port.ts';
import { withoutNumbers } from './phone.flow.ts';
import { createProvider, PATHS } from './provider.ts';
import { goOnWith, type Ended } from './held-changes.ts';
import { keptBody } from './records.ts';
import { logsInto } from './refused.ts';
import { textMember } from '../request/body/text-member.ts';
import { exchangeOf } from '../request/record/record-exchanges.ts';
import { CONFIRM_PATH, SIGNED_OUT_PATH } from './logout.ts';
import { kindOfSession, withoutSession } from './sessions/session-of-request.ts';
import { inTurn } from './sessions/in-turn.ts';
import { startBackChannelLogout } from './sessions/back-channel-logout.ts';
import { kindOf, type SessionKind } from './sessions/sessions.ts';

export interface OpenidParts {
  readonly launching: Launching;
  readonly newSigningKeys: () => Promise<readonly unknown[]>;
  /** For calls to clients. */
  readonly outbound: Outbound;
  /** What tests choose. Absent in all modes but plain simulator mode. */
  readonly chosen?: ChosenByTests | undefined;
}

export interface ChosenByTests {
  /**
   * Has the library answer wrongly where a test says so.
   * @param keys private JSON Web Keys, the current ones first
   */
  tamper(provider: Provider, keys: readonly unknown[]): void;
  /** @param readAgain has the next request read the keys, whenever they were read last */
  onOpen(readAgain: () => void): void;
}

/** Adds the routes of the OpenID Provider, below the origin. */
export function openidFace(whole: HttpContext, parts: OpenidParts) {
  const context = whole.scenarios === null ? whole : withScopes(whole);
  const providers = opened(context, parts);
  const provider = async () => (await providers()).own;
  const { launching } = parts;
  const goOn: InteractionParts['goOn'] = async ({ client, request, reply }, end) => {
    const kind = kindOf(context.services.clients, client);
    return handOver(context, await providers(), { kind, request, reply, end });
  };
  return (app: FastifyInstance): void => {
    void app.register(async (scope) => {
      addLibrary(scope, context, providers);
    });
    void app.register(async (scope) => {
      addPosted(scope, context);
    });
    startBackChannelLogout(app, context, provider);
    addInteraction(app, context, { provider, launching, goOn });
  };
}

/** In a simulation each client is one in every scope too, by an id that names it. */
function withScopes(context: HttpContext): HttpContext {
  const { clients } = context.services;
  return { ...context, services: { ...context.services, clients: inScopes(clients) } };
}

/** The library, once for each kind of session. They have all else in common. */
interface Providers {
  readonly own: Provider;
  /** Made when a request of a client with single sign-on first needs it. */
  readonly shared: Provider;
  /** What the library takes its own addresses from, in the place of the Host header. */
  readonly forwarded: Readonly<Record<string, string>>;
}

interface Opened {
  readonly body: string;
  readonly providers: Providers;
}

/**
 * Made with the first request: the signing keys are in the store, which may not be there at the
 * start. When they can't be read, the next request tries again. Later requests read them anew, because
 * an operator may have rotated them; the provider of before finishes what it has begun.
 */
function opened(context: HttpContext, parts: OpenidParts): () => Promise<Providers> {
  let latest: Promise<Opened> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  parts.chosen?.onOpen(() => (readAt = Number.NEGATIVE_INFINITY));
  return async () => {
    const now = context.clock.now();
    if (latest === null || isDue(readAt + READ_AGAIN_MS, READ_AGAIN_MS, now)) {
      readAt = now;
      const opening = open(context, parts, latest);
      latest = opening;
      opening.catch(() => {
        if (latest === opening) latest = null;
      });
    }
    return (await latest).providers;
  };
}

async function open(
  context: HttpContext,
  parts: OpenidParts,
  before: Promise<Opened> | null,
): Promise<Opened> {
  const last = before === null ? null : await before;
  try {
    const body = await keysIn(context, parts);
    if (last?.body === body) return last;
    const keys = published(parseSigningKeys(body));
    const made = (sessions: SessionKind) => {
      const provider = createProvider(context, { keys, outbound: parts.outbound, sessions });
      showAtOnce(provider, context);
      tellStandings(provider, context);
      parts.chosen?.tamper(provider, keys);
      if (context.recorder !== null) recordAnswers(provider);
      // Its parts never change, and the library would put them together for each request.
      const answer = provider.callback();
      provider.callback = () => answer;
      return provider;
    };
    let shared: Provider | null = null;
    const { protocol, host } = new URL(context.settings.publicUrl);
    const providers = {
      forwarded: { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host },
      own: made('own'),
      get shared() {
        return (shared ??= made('shared'));
      },
    };
    return { body, providers };
  } catch (error) {
    // An outage of the store: what is known is good until it is over.
    if (last === null || !(error instanceof Refusal)) throw error;
    return last;
  }
}

function keysIn({ services, clock }: HttpContext, { newSigningKeys }: OpenidParts) {
  return keptBody(services.store, SIGNING_KEYS, async () => {
    const [current, next] = await Promise.all([newSigningKeys(), newSigningKeys()]);
    return JSON.stringify(firstKeys(current, next, clock.now()));
  });
}

/** The library's answers say where their client stands after all that they were counted in. */
function tellStandings(provider: Provider, { clock }: HttpContext): void {
  provider.use(async (asked, next) => {
    await next();
    const headers = Object.entries(headersAtEnd(asked.res, clock.now()));
    for (const [name, value] of headers) asked.set(name, value);
  });
}

/** Their values name a record of the library, as the ids of its entities do. */
const NAMING = ['access_token', 'auth_req_id', 'code', 'refresh_token', 'token'];

/** Hands what the library has read, and answers, to the time line of a simulation. */
function recordAnswers(provider: Provider): void {
  provider.use(async (asked, next) => {
    await next();
    const exchange = exchangeOf(asked.req);
    if (exchange === null) return;
    const { oidc, body, headers } = asked;
    const { Session: session, ...others } = oidc?.entities ?? {};
    // A request that asks anew beside a session is of a sign-in of its own.
    const isAnew = oidc?.route === 'authorization' && others['Interaction'] !== undefined;
    const entities = [...Object.values(others), ...(isAnew ? [] : [session])];
    const [, bearer = ''] = /^Bearer (.+)$/i.exec(headers['authorization'] ?? '') ?? [];
    exchange.readElsewhere({
      asked: oidc?.body ?? null,
      told: typeof body === 'object' && body !== null ? JSON.stringify(body) : null,
      ties: [
        ...entities.flatMap((one) => ['jti', 'grantId'].map((id) => textMember(one, id))),
        ...NAMING.map((name) => textMember(oidc?.params ?? oidc?.body, name)),
        bearer,
      ],
    });
  });
}

interface Endpoint {
  readonly method: HTTPMethods | HTTPMethods[];
  readonly url: string;
  readonly policy: (typeof RATE_POLICIES)[keyof typeof RATE_POLICIES];
  readonly page?: true;
  /** Makes a row, for whoever asks. */
  readonly begins?: true;
  /** What it is called in the time line of a simulation. */
  readonly recordedAs?: string;
}

/** Discovery and keys are the same for everybody; back ends share their address with their users. */
const ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', url: DISCOVERY_PATH, policy: RATE_POLICIES.backEnd },
  { method: 'GET', url: PATHS.jwks, policy: RATE_POLICIES.backEnd },
  {
    method: 'GET',
    url: PATHS.authorization,
    policy: RATE_POLICIES.bearer,
    page: true,
    begins: true,
    recordedAs: 'openidAuthorize',
  },
  {
    method: 'POST',
    url: PATHS.pushed_authorization_request,
    policy: RATE_POLICIES.backEnd,
    begins: true,
    recordedAs: 'openidPar',
  },
  {
    method: 'POST',
    url: PATHS.backchannel_authentication,
    policy: RATE_POLICIES.backEnd,
    begins: true,
    recordedAs: 'openidBackchannel',
  },
  {
    method: 'GET',
    url: PATHS.end_session,
    policy: RATE_POLICIES.bearer,
    page: true,
    recordedAs: 'openidLogout',
  },
  {
    method: 'POST',
    url: CONFIRM_PATH,
    policy: RATE_POLICIES.bearer,
    page: true,
    recordedAs: 'openidLogout',
  },
  { method: 'GET', url: SIGNED_OUT_PATH, policy: RATE_POLICIES.bearer, page: true },
  {
    method: 'POST',
    url: PATHS.token,
    policy: RATE_POLICIES.backEnd,
    recordedAs: 'openidToken',
  },
  {
    method: 'POST',
    url: PATHS.introspection,
    policy: RATE_POLICIES.backEnd,
    recordedAs: 'openidIntrospect',
  },
  {
    method: 'POST',
    url: PATHS.revocation,
    policy: RATE_POLICIES.backEnd,
    recordedAs: 'openidRevoke',
  },
  {
    method: ['GET', 'POST'],
    url: PATHS.userinfo,
    policy: RATE_POLICIES.backEnd,
    recordedAs: 'openidUserinfo',
  },
];

const HIDDEN = { hide: true };

function addLibrary(
  scope: FastifyInstance,
  context: HttpContext,
  providers: () => Promise<Providers>,
): void {
  // The library reads the bodies itself.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const both = await providers();
    const kind = await kindOfSession(context, { provider: both.own, request, reply });
    return handOver(context, both, { kind, request, reply });
  };
  for (const { method, url, policy, page, begins, recordedAs } of ENDPOINTS) {
    scope.route({
      method,
      url,
      // A HEAD request would begin a sign-in.
      exposeHeadRoute: false,
      config: {
        ...(page === true ? { page } : {}),
        ...(recordedAs === undefined ? {} : { recordedAs, attemptIn: 'ties' }),
      },
      schema: HIDDEN,
      onRequest: [
        ...limitByAddress(context, policy),
        ...(begins === true ? [refuseOverload(context)] : []),
      ],
      handler,
    });
    if (page === true) continue;
    // The preflight of a page that CORS_ORIGINS does not list: the library knows the client's pages.
    scope.route({ method: 'OPTIONS', url, schema: HIDDEN, handler });
  }
}

/**
 * A request may be a form too. It becomes one by GET: the browser of another site's form sends no
 * cookie that is `SameSite=Lax`, and the library would want `None` for all of them.
 */
function addPosted(scope: FastifyInstance, context: HttpContext): void {
  // What is no form would be read as the values of one.
  scope.removeAllContentTypeParsers();
  takeFormsUnread(scope);
  for (const url of [PATHS.authorization, PATHS.end_session]) {
    scope.post<{ Body: string }>(
      url,
      {
        config: { page: true },
        schema: HIDDEN,
        onRequest: limitByAddress(context, RATE_POLICIES.bearer),
      },
      async ({ body }, reply) => reply.redirect(`${url}?${withoutNumbers(body)}`, 303),
    );
  }
}

/** What a page of the library may do: run the one script that posts a form to an application. */
const LIBRARY_POLICY = "default-src 'none'; script-src 'self'; frame-ancestors 'none'";

interface Handed {
  readonly kind: SessionKind;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** What ends by this request, once it has. */
  readonly end?: () => Promise<Ended>;
}

/** Of a shared session in its turn. */
async function handOver(
  context: HttpContext,
  providers: Providers,
  handed: Handed,
): Promise<FastifyReply> {
  const asked = { ...handed, provider: providers.own };
  const answer = () => answerByLibrary(context, providers, handed);
  return handed.kind === 'own' ? answer() : inTurn(context, asked, answer);
}

/** The library answers by itself, with the headers that every answer has. */
async function answerByLibrary(
  { settings }: HttpContext,
  providers: Providers,
  { kind, request, reply, end }: Handed,
): Promise<FastifyReply> {
  const { raw } = request;
  if (end !== undefined) goOnWith(raw, await end());
  Object.assign(raw.headers, providers.forwarded);
  // The library would take the host of an absolute target (RFC 9112, section 3.2.2) for ours.
  const target = raw.url?.replace(/^https?:\/\/[^/?]*/i, '');
  Object.assign(raw, { url: target, originalUrl: target });
  // Read once, because the framework makes a new object at each access.
  const { url = '' } = request.routeOptions;
  if (end !== undefined || url === PATHS.authorization) {
    if (kind === 'own') {
      raw.headers.cookie = withoutSession(raw.headers.cookie ?? '', settings.publicUrl);
    }
    reply.header('content-security-policy', LIBRARY_POLICY);
  }
  // Who opens it is told by a page, whatever their browser says that it accepts.
  if (url.startsWith(LOGOUT_PATH)) raw.headers.accept = 'text/html';
  logsInto(raw, request.log);
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  await providers[kind].callback()(raw, reply.raw);
  return reply;
}
