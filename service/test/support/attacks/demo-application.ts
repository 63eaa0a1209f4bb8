import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LiveClient, type Started } from '../live/live-client.ts';

export const DEMO_KEY = 'mfk_demo_0123456789abcdef';

interface Session {
  /** The attempt that this browser started; only this session has its token. */
  attempt?: Started;
  user?: string;
}

export interface DemoApplication {
  readonly origin: string;
  /** The result of each return, in order. */
  readonly returns: readonly string[];
  /**
   * Sets the service's address and the application's key. The service must know the application's
   * address first.
   */
  connect(serviceOrigin: string, key?: string): void;
  close(): void;
}

/**
 * An application that uses the service and follows only the documentation: it keeps the attempt's
 * token in the session of the browser that started the attempt, and refuses a browser that returns
 * without one.
 */
export async function openDemoApplication(): Promise<DemoApplication> {
  const sessions = new Map<string, Session>();
  const returns: string[] = [];
  let client: LiveClient | null = null;

  async function finish(session: Session, url: URL): Promise<string> {
    const { attempt } = session;
    if (attempt === undefined || client === null) return 'dropped';
    const code = url.searchParams.get('completion_code');
    const proof = code === null ? {} : { completion_code: code };
    const { status, data, code: refusal } = await client.redeem(attempt, proof);
    if (status !== 200) return refusal;
    delete session.attempt;
    session.user = (data['user'] as { national_id: string }).national_id;
    return 'signed in';
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://demo.test');
    const session = sessionOf(request, response);
    if (url.pathname === '/login') {
      const wanted = { locale: 'ar', return_address: `${origin()}/return` };
      session.attempt = (await client?.startRedirect(wanted)) as Started;
      response.writeHead(303, { location: session.attempt.authorization_url }).end();
    } else if (url.pathname === '/phone') {
      const nationalId = url.searchParams.get('national_id') ?? '';
      session.attempt = (await client?.startPhone(nationalId)) as Started;
      const { random, attempt_id } = session.attempt;
      show(response, `<p data-testid="random">${random}</p><p data-testid="id">${attempt_id}</p>`);
    } else if (url.pathname === '/return') {
      returns.push(await finish(session, url));
      response.writeHead(303, { location: '/' }).end();
    } else {
      const who = `<p data-testid="who">${session.user ?? 'nobody'}</p>`;
      show(response, `${who}<a href="/login">in</a>`);
    }
  }

  function sessionOf({ headers }: IncomingMessage, response: ServerResponse): Session {
    const [, known = ''] = /\bdemo=([\w-]+)/.exec(headers.cookie ?? '') ?? [];
    const found = sessions.get(known);
    if (found !== undefined) return found;
    const id = randomUUID();
    const fresh: Session = {};
    sessions.set(id, fresh);
    response.setHeader('set-cookie', `demo=${id}; Path=/; HttpOnly; SameSite=Lax`);
    return fresh;
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: origin(),
    returns,
    connect(serviceOrigin, key = DEMO_KEY) {
      client = new LiveClient({ service: { origin: serviceOrigin } }, key);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function show(response: ServerResponse, body: string): void {
  const page = `<!doctype html><link rel="icon" href="data:,">${body}`;
  response.writeHead(200, { 'content-type': 'text/html' }).end(page);
}
