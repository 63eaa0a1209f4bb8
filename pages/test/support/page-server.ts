import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { assets, contentSecurityPolicy, type Asset, type Page } from '../../src/index.ts';

/** A form that a browser posted to the server. */
export type Posted = {
  readonly contentType: string | undefined;
  readonly origin: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
};

export type PageServer = AsyncDisposable & {
  readonly origin: string;
  /** What was posted to `/callback`, in order. */
  readonly posted: readonly Posted[];
};

/** Serves pages as the service does: with the assets and the real policy. */
export async function servePages(pages: Readonly<Record<string, Page>>): Promise<PageServer> {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST') void receive(request, response, posted);
    else answer(request.url ?? '/', pages, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    posted,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(request: IncomingMessage, response: ServerResponse, posted: Posted[]) {
  const fields = Object.fromEntries(new URLSearchParams(await text(request)));
  const { 'content-type': contentType, origin } = request.headers;
  posted.push({ contentType, origin, fields });
  response.writeHead(303, { location: '/dashboard' }).end();
}

function answer(url: string, pages: Readonly<Record<string, Page>>, response: ServerResponse) {
  const { pathname } = new URL(url, 'http://server.invalid');
  const asset = assets.find(({ path }) => path === pathname);
  const page = pages[pathname.slice(1)];
  if (asset) response.writeHead(200, assetHeaders(asset)).end(asset.read());
  else if (page) response.writeHead(200, pageHeaders(page)).end(page.html);
  else response.writeHead(404).end();
}

function pageHeaders({ script }: Page) {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy({ formAction: 'self', script }),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

function assetHeaders({ contentType }: Asset) {
  return {
    'content-type': contentType,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  };
}
