import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { share } from '../at-end.ts';

/** A site of an attacker, under any name of this machine. */
export interface EvilSite {
  /** @returns the address of a page with this `html`, which sets each `cookie` */
  page(host: string, query: Readonly<Record<string, string>>): string;
}

/** Serves the page and sets the cookies that its address contains. */
export function shareEvilSite(): () => EvilSite {
  return share(async (atEnd) => {
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://evil');
      const html = `<!doctype html><link rel="icon" href="data:,">${searchParams.get('html') ?? ''}`;
      const cookies = searchParams.getAll('cookie');
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': cookies }).end(html);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { page: (host, query) => `http://${host}:${port}/?${new URLSearchParams(query)}` };
  });
}

/**
 * A sandboxed frame, whose pages have the origin `null`; its form still navigates the whole window.
 */
export function sandboxed(html: string): string {
  const inside = html.replaceAll('"', '&quot;').replace('<form', '<form target=_top');
  const may = 'allow-scripts allow-forms allow-top-navigation';
  return `<iframe sandbox="${may}" srcdoc="${inside}"></iframe>`;
}
