import fastifySwagger, { type SwaggerTransformObject } from '@fastify/swagger';
import { ERROR_STATUS, type ErrorCode, PROBLEM, SignInQuery } from '@miftah/contract';
import { string } from '@miftah/schema';
import { finishDocument } from '@miftah/schema/openapi';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { wordingOf } from '../../errors/wording.ts';
import type { HttpContext } from '../context.ts';
import { ANSWER_HEADERS, answerHeadersOf, headersNamed } from './described-headers.ts';

const PURPOSE = 'Starts sign-in attempts, reports on them, exchanges them for API tokens.';

/** The reader's editor can't show other values after it was rendered (`reader-script.ts`). */
const HOW_SEND_WORKS =
  'At `/docs`, the examples can be sent as they stand: Send puts the attempt that was started ' +
  'last, and the token that was issued last, in the place of the ids and tokens of the examples. ' +
  'The editor goes on showing the examples; the request that was really sent is in the network ' +
  'panel of your browser.';

/** The document is generated from the routes' own schemas, so it always agrees with them. */
export async function describeApi(app: FastifyInstance, context: HttpContext): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Miftah authentication attempt API',
        version: context.settings.version,
        description: context.settings.docs ? `${PURPOSE} ${HOW_SEND_WORKS}` : PURPOSE,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: context.settings.publicUrl }],
      tags: [
        { name: 'Attempts', description: 'From the start of a sign-in to its API token.' },
        { name: 'API tokens', description: 'What an application does with a token.' },
      ],
      components: { securitySchemes },
    },
    hideUntagged: true,
    transform: ({ schema, url }) => ({ schema: asDescribed(schema), url }),
    transformObject: finished,
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) =>
        typeof schema['$id'] === 'string' ? schema['$id'] : `schema-${index}`,
    },
  });
}

const finished: SwaggerTransformObject = (made) => {
  if (!('openapiObject' in made)) return made.swaggerObject;
  finishDocument(made.openapiObject, ANSWER_HEADERS, answerHeadersOf);
  return made.openapiObject;
};

function asDescribed({
  describedHeaders,
  describedPage,
  ...schema
}: FastifySchema = {}): FastifySchema {
  if (schema.tags === undefined) return schema;
  const properties = { ...describedHeaders, ...headersNamed('Accept-Language') };
  return { ...schema, ...describedPage, headers: { type: 'object', properties } };
}

export const TAGS = { attempts: ['Attempts'], tokens: ['API tokens'] };

export const ATTEMPT_TOKEN_SECURITY = [{ attemptToken: [] }];
export const BEARER_SECURITY = [{ bearer: [] }];
export const CLIENT_OR_BASIC = [{ clientKey: [] }, { clientBasic: [] }];
export const NO_SECURITY = [];
/** For operations that some public clients may call without a key. */
export const CLIENT_OR_NONE = [{ clientKey: [] }, {}];

const securitySchemes = {
  attemptToken: { type: 'apiKey', in: 'header', name: 'X-Provider-Attempt-Token' },
  bearer: { type: 'http', scheme: 'bearer' },
  clientKey: { type: 'http', scheme: 'bearer', description: 'A client key (`mfk_…`).' },
  clientBasic: {
    type: 'http',
    scheme: 'basic',
    description: 'The id of a client as the user, and its key as the password.',
  },
} as const;

/** Errors that every operation can answer, because they occur before the operation itself runs. */
const EVERYWHERE: readonly ErrorCode[] = [
  'request.malformed',
  'request.misdirected',
  'origin.refused',
  'server.error',
  'server.overloaded',
  'storage.unavailable',
];

const WITH_BODY: readonly ErrorCode[] = [
  'request.malformed_json',
  'request.too_complex',
  'request.too_large',
  'request.unsupported_media_type',
  'validation.failed',
];

/** The `response` entries for the errors of one operation, by status. */
export function problems(codes: readonly ErrorCode[], has: { body?: boolean } = {}) {
  const all = [...codes, ...EVERYWHERE, ...(has.body === true ? WITH_BODY : [])];
  const byStatus = Map.groupBy(all, (code) => ERROR_STATUS[code]);
  return Object.fromEntries([...byStatus].map(([status, some]) => [status, problemsOf(some)]));
}

function problemsOf(codes: readonly ErrorCode[]) {
  const lines = codes.map((code) => `\`${code}\`: ${wordingOf(code, 'en').message}`);
  const content = { schema: PROBLEM };
  return {
    description: lines.join('\n\n'),
    content: { 'application/problem+json': content, 'application/json': content },
  };
}

const HTML = { 'text/html': { schema: string() } };

const PAGE_ERRORS = problems([
  'attempt.not_found',
  'attempt.expired',
  'attempt.rejected',
  'attempt.cancelled',
  'attempt.failed',
  'callback.browser_mismatch',
  'assurance.insufficient',
  'provider.unavailable',
  'provider.timeout',
  'provider.bad_response',
  'provider.misconfigured',
  'provider.mismatch',
  'rate_limited',
]);

/**
 * Errors of a page are pages, whatever the request accepts. But what can't be read as a request has
 * no address: it is answered with a problem.
 */
function asPages(errors: ReturnType<typeof problems>) {
  const answers = Object.entries(errors).map(([status, { description, content }]) => {
    const isUnread = Number(status) === ERROR_STATUS['request.malformed'];
    return [status, { description, content: isUnread ? { ...HTML, ...content } : HTML }] as const;
  });
  return Object.fromEntries(answers);
}

/** GET /callback in each mode: for a browser, and in the document for whoever follows it. */
export const SIGN_IN_PAGE = {
  operationId: 'openSignIn',
  summary: 'Open the page of a redirect attempt, or come back to it',
  description:
    'For the browser of the person, at `authorization_url`. The provider leads it back here with a ' +
    'state of its own, and from here it goes on to the application.',
  tags: TAGS.attempts,
  security: NO_SECURITY,
  describedPage: {
    querystring: SignInQuery,
    response: {
      200: { description: 'The page, or one that leads on to the application.', content: HTML },
      303: { description: 'Leads to the application.', type: 'null' },
      ...asPages(PAGE_ERRORS),
    },
  },
};
