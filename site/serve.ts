// Serves the built site on this machine, to look at it.

import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import type { SiteFolder } from './check-links.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Starts a server on this machine alone; port 0 takes a free one. */
export async function serveSite(site: SiteFolder, port: number) {
  const server = createServer((request, response) => {
    answer(site, pathOf(request.url ?? '/'), response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${taken}${site.base}`, [Symbol.asyncDispose]: close };
}

/** An address that is not valid leads nowhere. */
function pathOf(address: string): string {
  try {
    return decodeURIComponent(new URL(address, 'http://localhost').pathname);
  } catch {
    return '';
  }
}

function answer({ folder, base }: SiteFolder, path: string, response: ServerResponse): void {
  const file = path.startsWith(base) ? fileOf(folder, path.slice(base.length)) : undefined;
  if (file === undefined) {
    response.writeHead(404, { 'content-type': 'text/html; charset=utf-8' });
    const notFound = join(folder, '404.html');
    response.end(existsSync(notFound) ? readFileSync(notFound) : 'not found');
    return;
  }
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  response.writeHead(200, { 'content-type': type });
  createReadStream(file).pipe(response);
}

/** A file inside the folder, or undefined. */
function fileOf(folder: string, path: string): string | undefined {
  const named = path === '' || path.endsWith('/') ? `${path}index.html` : path;
  const file = normalize(join(folder, named));
  if (!file.startsWith(folder + sep) || !existsSync(file)) return undefined;
  return statSync(file).isFile() ? file : undefined;
}
