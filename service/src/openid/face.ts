import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Provider } from 'oidc-provider/lib/provider.js';
import { browserCookie } from '../request/caller/browser-cookie.ts';
import { limitByAddress } from '../request/caller/caller.ts';
import type { HttpContext } from '../request/context.ts';
import { refuseOverload } from '../request/request-head.ts';
import { RATE_POLICIES } from '../values/limits.ts';
import { addInteraction, orPage, type Parts, type UidRequest } from './interaction.route.ts';
import type { Launching } from './launching.port.ts';
import { cookieNames, createProvider, PATHS } from './provider.ts';
import { requireLauncher } from './sign-in.flow.ts';

export interface OpenidParts {
  readonly launching: Launching;
  readonly newSigningKeys: () => Promise<readonly unknown[]>;
}

/** Adds the routes of the OpenID Provider, below the origin. */
export function openidFace(context: HttpContext, parts: OpenidParts) {
  const provider = opened(context, parts);
  const { launching } = parts;
  return (app: FastifyInstance): void => {
    void app.register(async (scope) => {
      addLibrary(scope, context, { provider, launching });
    });
    addInteraction(app, context, { provider, launching });
  };
}

/**
 * Made with the first request: the signing keys are in the store, which may not be there at the
 * start. When they can't be read, the next request tries again.
 */
function opened(context: HttpContext, parts: OpenidParts): () => Promise<Provider> {
  let provider: Promise<Provider> | null = null;
  return () => {
    provider ??= open(context, parts).catch((error: unknown) => {
      provider = null;
      throw error;
    });
    return provider;
  };
}

const KEYS = { model: 'SigningKeys', id: 'current' } as const;

async function open(context: HttpContext, { newSigningKeys }: OpenidParts): Promise<Provider> {
  const { store } = context.services;
  const kept = await store.findOpenid(KEYS);
  const body = kept?.body ?? (await firstKeys());
  const keys: unknown = JSON.parse(body);
  if (!Array.isArray(keys)) throw new Error('the signing keys in the store are no list');
  return createProvider(context, keys);

  /** Of several instances that start at once all get the same ones. */
  async function firstKeys(): Promise<string> {
    const rest = { grant: null, handle: null, subject: null, client: null, expiresAt: null };
    return store.keepOpenid({ ...KEYS, ...rest, body: JSON.stringify(await newSigningKeys()) });
  }
}

interface Endpoint {
  readonly method: HTTPMethods | HTTPMethods[];
  readonly url: string;
  readonly policy: (typeof RATE_POLICIES)[keyof typeof RATE_POLICIES];
  readonly page?: true;
  /** Makes a row, for whoever asks. */
  readonly begins?: true;
}

/** Discovery and keys are the same for everybody; back ends share their address with their users. */
const ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', url: '/.well-known/openid-configuration', policy: RATE_POLICIES.backEnd },
  { method: 'GET', url: PATHS.jwks, policy: RATE_POLICIES.backEnd },
  {
    method: 'GET',
    url: PATHS.authorization,
    policy: RATE_POLICIES.bearer,
    page: true,
    begins: true,
  },
  {
    method: 'POST',
    url: PATHS.pushed_authorization_request,
    policy: RATE_POLICIES.backEnd,
    begins: true,
  },
  { method: 'POST', url: PATHS.token, policy: RATE_POLICIES.backEnd },
  { method: 'POST', url: PATHS.introspection, policy: RATE_POLICIES.backEnd },
  { method: 'POST', url: PATHS.revocation, policy: RATE_POLICIES.backEnd },
  { method: ['GET', 'POST'], url: PATHS.userinfo, policy: RATE_POLICIES.backEnd },
];

const HIDDEN = { hide: true };

function addLibrary(
  scope: FastifyInstance,
  context: HttpContext,
  { provider, launching }: Parts,
): void {
  // The library reads the bodies itself.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const handler = async (request: FastifyRequest, reply: FastifyReply) =>
    handOver(context, await provider(), request, reply);
  for (const { method, url, policy, page, begins } of ENDPOINTS) {
    scope.route({
      method,
      url,
      // A HEAD request would begin a sign-in.
      exposeHeadRoute: false,
      config: page === true ? { page } : {},
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
  scope.get(
    `${PATHS.authorization}/:uid`,
    {
      exposeHeadRoute: false,
      config: { page: true },
      schema: HIDDEN,
      onRequest: limitByAddress(context, RATE_POLICIES.bearer),
    },
    async (request: UidRequest, reply) =>
      orPage(request, reply, async () => {
        const cookieOf = (id: string) => browserCookie(request, id);
        await requireLauncher(context.services, launching, { uid: request.params.uid, cookieOf });
        return handOver(context, await provider(), request, reply);
      }),
  );
}

/** What a page of the library may do: run the one script that posts a form to an application. */
const LIBRARY_POLICY = "default-src 'none'; script-src 'self'; frame-ancestors 'none'";

/** The library answers by itself, with the headers that every answer has. */
async function handOver(
  { settings }: HttpContext,
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { raw } = request;
  const { protocol, host } = new URL(settings.publicUrl);
  // What the library takes its own addresses from, in the place of the Host header.
  raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  raw.headers['x-forwarded-host'] = host;
  if (request.routeOptions.url?.startsWith(PATHS.authorization) === true) {
    raw.headers.cookie = withoutSession(raw.headers.cookie ?? '', settings.publicUrl);
    reply.header('content-security-policy', LIBRARY_POLICY);
  }
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  await provider.callback()(raw, reply.raw);
  return reply;
}

/** There is no single sign-on: whoever signed in before has to do so again. */
function withoutSession(header: string, publicUrl: string): string {
  const { session } = cookieNames(publicUrl);
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => !pair.startsWith(`${session}=`) && !pair.startsWith(`${session}.sig=`))
    .join('; ');
}
