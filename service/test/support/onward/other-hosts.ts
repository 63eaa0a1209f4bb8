import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AtEnd } from '../at-end.ts';

/** What the provider's page does with a browser that the service sends to it. */
export type ProviderWay = 'redirects over two more hosts' | 'answers at once' | 'posts a form';

/** Hosts that the service knows nothing of: of the provider and of the application. */
export interface OtherHosts {
  /** Where the service sends the browser, with the state in the query. */
  readonly authorizeOrigin: string;
  /** The application's return address, which redirects over one more host to `home`. */
  readonly returnAddress: string;
  readonly home: string;
  way: ProviderWay;
  /** The service's return address at the provider, known when the service listens. */
  callback: string;
  /** What browsers have said of the page before, in the header `Referer`. */
  readonly referrers: string[];
}

/** Browsers resolve every name below localhost to this machine. */
const SECOND = 'second.localhost';
const THIRD = 'third.localhost';

export async function openOtherHosts(atEnd: AtEnd): Promise<OtherHosts> {
  const server = createServer((request, response) => answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const at = (name: string, path: string) => `http://${name}:${port}${path}`;
  const hosts: OtherHosts = {
    authorizeOrigin: at('127.0.0.1', ''),
    returnAddress: at('127.0.0.1', '/return'),
    home: at(THIRD, '/home'),
    way: 'answers at once',
    callback: '',
    referrers: [],
  };
  return hosts;

  function answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    if (headers.referer !== undefined) hosts.referrers.push(headers.referer);
    const { pathname, search, searchParams } = new URL(url, at('127.0.0.1', ''));
    const to = (location: string) => void response.writeHead(302, { location }).end();
    const back = `${hosts.callback}?${new URLSearchParams({ state: searchParams.get('state') ?? '' })}`;
    if (pathname === '/authservice/authorize') {
      if (hosts.way === 'posts a form') return postForm(response, searchParams.get('state') ?? '');
      return to(hosts.way === 'answers at once' ? back : at(SECOND, `/step${search}`));
    }
    if (pathname === '/step') return to(at(THIRD, `/last-step${search}`));
    if (pathname === '/last-step') return to(back);
    if (pathname === '/return') return to(at(SECOND, `/again${search}`));
    if (pathname === '/again') return to(at(THIRD, `/home${search}`));
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><link rel="icon" href="data:,"><title>home</title>');
  }

  /** The provider's own policy knows the address that it posts to, and nothing of the application. */
  function postForm(response: ServerResponse, state: string): void {
    const policy = `form-action ${new URL(hosts.callback).origin}`;
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
    response.end(`<!doctype html><link rel="icon" href="data:,">
      <form method="post" action="${hosts.callback}"><input name="state" value="${state}"></form>
      <script>document.forms[0].submit()</script>`);
  }
}
