import { request, type RequestOptions } from 'node:https';
import { Readable } from 'node:stream';
import { HOST } from './kinds.ts';
import type { Proxy } from './open-proxy.ts';

/** Where a client is: loopback has as many addresses as a test needs. */
export interface From {
  readonly localAddress?: string;
  /** The address of the proxy. */
  readonly at?: '127.0.0.1' | '::1';
}

/** Options of a TLS connection to a proxy. */
export function wayTo({ httpsPort, certificate }: Proxy, { localAddress, at = '127.0.0.1' }: From) {
  return {
    host: at,
    port: httpsPort,
    servername: HOST,
    ca: certificate,
    ...(localAddress === undefined ? {} : { localAddress }),
  };
}

/** `fetch` through a proxy, for addresses at its name; other addresses are not for it. */
export function fetchThrough(proxy: Proxy, from: From = {}): typeof fetch {
  const plain = globalThis.fetch;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.hostname !== HOST) return plain(input, init);
    const headers = Object.fromEntries(new Headers(init.headers));
    const body = typeof init.body === 'string' ? init.body : undefined;
    const options = { method: init.method ?? 'GET', path: url.pathname + url.search };
    const signal = init.signal ?? undefined;
    return send(body, {
      ...wayTo(proxy, from),
      ...options,
      ...(signal === undefined ? {} : { signal }),
      agent: false,
      headers: {
        host: HOST,
        ...headers,
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
  };
}

function send(body: string | undefined, options: RequestOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (answer) => {
      const status = answer.statusCode ?? 0;
      const headers = new Headers();
      for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
        for (const value of values) headers.append(name, value);
      }
      const isEmpty = status === 204 || status === 304;
      if (isEmpty) answer.resume();
      const content = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
      resolve(new Response(content, { status, headers }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

export function askThrough(
  proxy: Proxy,
  url: string,
  init: RequestInit = {},
  from: From = {},
): Promise<Response> {
  return fetchThrough(proxy, from)(url, init);
}
