import Fastify, { type FastifyInstance } from 'fastify';
import type { Endpoint, HttpContext } from '../request/context.ts';
import { fixedDocument, sendFixed, type FixedDocument } from './fixed-document.ts';
import { loadOnce } from './load-once.ts';
import { READER_SCRIPT } from './reader-script.ts';

/** GET /openapi.json, and a reader for it at /docs. Nothing is loaded from other hosts. */
export const docs: Endpoint = (app, context) => {
  const description = loadOnce(async () => Buffer.from(JSON.stringify(app.swagger())));
  app.route({
    method: 'GET',
    url: '/openapi.json',
    // All answers share the same bytes, so slow clients cost no extra memory.
    handler: async (_, reply) =>
      reply.type('application/json; charset=utf-8').send(await description()),
  });
  if (context.settings.docs) addReader(app, context);
};

function addReader(app: FastifyInstance, context: HttpContext): void {
  app.route({
    method: 'GET',
    url: '/docs',
    handler: async (_, reply) =>
      reply
        .header('content-security-policy', READER_POLICY)
        .type('text/html; charset=utf-8')
        .send(readerPage(app.hasRoute({ method: 'GET', url: '/' }))),
  });
  app.route({
    method: 'GET',
    url: '/docs/start.js',
    handler: async (_, reply) => reply.type(SCRIPT_TYPE).send(READER_SCRIPT),
  });
  app.route({
    method: 'GET',
    url: '/docs/reader.js',
    handler: async (request, reply) =>
      sendFixed(context, request, reply.type(SCRIPT_TYPE), await readerScript()),
  });
}

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

const readerScript = loadOnce(loadReaderScript);

/**
 * The reader is a plugin that holds its whole script in memory, some 40 MB. It is loaded into a
 * server of its own at the first use, so that processes whose documentation nobody opens do not pay
 * for it.
 */
async function loadReaderScript(): Promise<FixedDocument> {
  const { default: reader } = await import('@scalar/fastify-api-reference');
  const server = Fastify();
  await server.register(reader, { routePrefix: '/reader', configuration: { content: '{}' } });
  const { rawPayload } = await server.inject('/reader/js/scalar.js');
  await server.close();
  return fixedDocument(rawPayload);
}

const READER_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The reader sets style attributes.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// In the reader's colours, which its reader can change.
const HOME_LINE = `<nav
      aria-label="Miftah"
      style="padding: 0.75rem 1.5rem; font: 1rem/1.5 system-ui; background: var(--scalar-background-1)"
    >
      <a href="/?locale=en" style="color: var(--scalar-color-1)">To the home page of Miftah</a>
    </nav>`;

/**
 * The reader has megabytes to load and to run, which a browser without `defer` may do before it shows
 * anything. Content in its own element it would take for a page of its making.
 * @param hasHome whether the mode has a home page, to which a line above the reader leads
 */
function readerPage(hasHome: boolean): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Miftah API</title>
    <link rel="icon" href="data:,">
    <script defer src="/docs/reader.js"></script>
    <script defer src="/docs/start.js"></script>
  </head>
  <body>
    ${hasHome ? HOME_LINE : ''}
    <div
      id="loading"
      style="max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui"
    >
      <h1>Miftah API</h1>
      <p>The reader is being loaded: a script of some 4 MB, which comes from this service.</p>
      <p>Without it there is the document itself: <a href="/openapi.json">openapi.json</a>.</p>
    </div>
    <div id="reader"></div>
  </body>
</html>
`;
}
