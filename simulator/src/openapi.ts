import fastifySwagger, { type SwaggerTransformObject } from '@fastify/swagger';
import { integer, list, oneOf, openObject, optional, string } from '@miftah/schema';
import { finishDocument, type Headers, type HeadersOf } from '@miftah/schema/openapi';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { controlErrors } from './control/errors.ts';
import { SessionCookie } from './control/session.ts';
import { SCOPE_HEADER, SIMULATE_HEADER } from './engine/scenario.ts';
import { prefixesOf, type SimulatorOptions } from './options.ts';
import { providerErrors } from './provider/provider-errors.ts';

const DOCUMENT_VERSION = '1.0.0';

/** The application around this plugin may already use the usual name of this decorator. */
const DECORATOR = 'simulatorOpenApi';

declare module 'fastify' {
  interface FastifyInstance {
    [DECORATOR](): object;
  }
}

/** Describes what programs call: area B and the control API. Pages are left out. */
export function describeSimulator(app: FastifyInstance, options: SimulatorOptions): void {
  const { publicUrl } = options.control;
  const [first = '', ...others] = prefixesOf(options);
  app.register(fastifySwagger, {
    decorator: DECORATOR,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Miftah provider simulator',
        version: DOCUMENT_VERSION,
        description: descriptionWith(others),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
      tags: [
        { name: PROVIDER_TAG, description: 'What a service calls, in the provider’s spelling.' },
        { name: CONTROL_TAG, description: 'What a person, a test or an operator does.' },
      ],
      components: { securitySchemes: securitySchemes(options) },
    },
    transform: ({ schema, url, route }) => {
      // Once, whatever the number of prefixes: no two operations may have the same id.
      const isOther = !isControl(url) && !url.startsWith(`${first}/api/`);
      return {
        schema: { ...described(schema, route, options), ...(isOther && { hide: true }) },
        url,
      };
    },
    transformObject: finished,
  });
}

/** GET /simulator/openapi.json */
export function serveDescription(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, () => app[DECORATOR]());
}

const hasToken = ({ control }: SimulatorOptions) => (control.token ?? null) !== null;
const hasKeys = ({ credentials = null }: SimulatorOptions) => credentials !== null;

/** Only those that this instance asks for. */
function securitySchemes(options: SimulatorOptions): Record<string, SecurityScheme> {
  const session = SessionCookie.nameAt(options.control.publicUrl);
  return {
    ...(hasKeys(options) && {
      appId: { type: 'apiKey', in: 'header', name: 'APP-ID' },
      appKey: { type: 'apiKey', in: 'header', name: 'APP-KEY' },
    }),
    ...(hasToken(options) && {
      simulatorToken: { type: 'http', scheme: 'bearer', description: '`SIMULATOR_TOKEN`.' },
      session: { type: 'apiKey', in: 'cookie', name: session },
    }),
  };
}

type SecurityScheme =
  | { type: 'apiKey'; in: 'header' | 'cookie'; name: string }
  | { type: 'http'; scheme: 'bearer'; description: string };

const isControl = (url: string) => url.startsWith('/simulator');

function descriptionWith(otherPrefixes: readonly string[]): string {
  const what = 'The calls of a national identity provider, and what a person would do.';
  if (otherPrefixes.length === 0) return what;
  const others = otherPrefixes.map((one) => (one === '' ? 'no prefix' : `\`${one}\``)).join(', ');
  return `${what} The provider’s calls are answered below ${others} too.`;
}

const PROVIDER_TAG = 'Provider';
const CONTROL_TAG = 'Control API';

/**
 * Tags are added here, because a tag on the route would add the route to the application's document;
 * so is what all calls of a tag have in common.
 */
function described(
  schema: FastifySchema | undefined,
  route: RouteOptions,
  options: SimulatorOptions,
): FastifySchema {
  const { url, config } = route;
  const isOpen = !hasToken(options) || config?.beginsSession === true;
  const withToken = isOpen ? [] : [{ simulatorToken: [] }, { session: [] }];
  const withKey = hasKeys(options) ? [{ appId: [], appKey: [] }] : [];
  return {
    headers: { type: 'object', properties: isControl(url) ? SCOPE : SCENARIO },
    ...schema,
    tags: [isControl(url) ? CONTROL_TAG : PROVIDER_TAG],
    security: isControl(url) ? withToken : withKey,
    response: Object.assign({}, errorsOf(route, !isOpen), schema?.response),
  };
}

const SCOPE = {
  [SCOPE_HEADER]: string({ description: 'The scope of the caller; `default` without it.' }),
};
const SCENARIO = {
  ...SCOPE,
  [SIMULATE_HEADER]: string({ description: 'The key of an outcome, as in `refuses;after=3`.' }),
};

const ControlProblem = openObject({
  type: string(),
  title: string(),
  status: integer(),
  detail: string(),
  code: string(),
  message: string(),
  remedy: string(),
  request_id: string(),
  violations: optional(list(openObject({ pointer: string(), message: string() }))),
});

/** The errors of an operation, by status. */
export function errorsOf(
  { method, config }: Pick<RouteOptions, 'method' | 'config'>,
  asksForToken: boolean,
) {
  const readsBody = method !== 'GET';
  if (config?.operation !== undefined) {
    return providerErrors(config.operation, readsBody, ControlProblem);
  }
  const content = { 'application/problem+json': { schema: ControlProblem } };
  const errors = controlErrors({ asksForToken, readsBody, refuses: config?.refuses });
  const answers = [...errors].map(
    ([status, description]) => [status, { description, content }] as const,
  );
  return Object.fromEntries(answers);
}

const ANSWER_HEADERS: Headers = {
  'Retry-After': {
    description: 'Seconds to wait before the next try; absent where nobody knows.',
    schema: integer(),
  },
  'WWW-Authenticate': {
    description: 'How to authenticate, where the token is wanted.',
    schema: string(),
  },
  'X-Auth-Mode': { description: 'What this program is.', schema: oneOf(['simulator']) },
  'X-Request-Id': { description: 'Names this request in the log.', schema: string() },
};

/** 409: a service beside this one has refused a start, and says when it may be tried again. */
const LATER: ReadonlySet<string> = new Set(['409', '429']);

const answerHeadersOf: HeadersOf = (status) => [
  'X-Auth-Mode',
  'X-Request-Id',
  ...(LATER.has(status) ? ['Retry-After'] : []),
  ...(status === '401' ? ['WWW-Authenticate'] : []),
];

/** Schemas of the application around are none of this document's. */
const finished: SwaggerTransformObject = (made) => {
  if (!('openapiObject' in made)) return made.swaggerObject;
  const { openapiObject } = made;
  openapiObject.components = { ...openapiObject.components, schemas: {} };
  finishDocument(openapiObject, ANSWER_HEADERS, answerHeadersOf);
  return openapiObject;
};
