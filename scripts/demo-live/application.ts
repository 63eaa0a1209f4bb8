import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { textAt } from './json.ts';
import { demoPage, PAGE_POLICY, type DemoPage } from './page.ts';
import { listenAnywhere } from './ports.ts';

/** The number of open sign-ins that are kept; beyond it the oldest is dropped. */
const WAITING_MAX = 100;

interface Answer {
  readonly isOk: boolean;
  readonly status: number;
  readonly text: string;
}

/**
 * The demo's application: it starts a sign-in by browser, and the browser returns to it. A real
 * application keeps the attempt in the session of the browser that started it, so that nobody can
 * be given another person's login. Here there is only one person, at the terminal.
 */
export class DemoApplication {
  readonly origin: string;
  readonly #server: Server;
  readonly #api: string;
  readonly #key: string;
  /** Attempt tokens by attempt. They never go through a browser. */
  readonly #waiting = new Map<string, string>();

  private constructor(server: Server, port: number, api: string, key: string) {
    this.origin = `http://localhost:${port}`;
    this.#server = server;
    this.#api = api;
    this.#key = key;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async open(api: string, key: string): Promise<DemoApplication> {
    const server = createServer();
    return new DemoApplication(server, await listenAnywhere(server), api, key);
  }

  get returnAddress(): string {
    return `${this.origin}/return`;
  }

  /** The address that the browser has to open. @throws Error */
  async begin(): Promise<string> {
    const { status, text } = await this.#post('/start', {
      locale: 'en',
      return_address: this.returnAddress,
    });
    const attemptId = textAt(text, 'data', 'attempt_id');
    const attemptToken = textAt(text, 'data', 'attempt_token');
    const address = textAt(text, 'data', 'authorization_url');
    if (attemptId === null || attemptToken === null || address === null) {
      throw new Error(`a sign-in by browser was answered ${status}: ${text}`);
    }
    if (this.#waiting.size >= WAITING_MAX) this.#waiting.delete([...this.#waiting.keys()][0] ?? '');
    this.#waiting.set(attemptId, attemptToken);
    return address;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.origin);
    try {
      if (request.method !== 'GET') say(response, 405, page('Nothing is posted here'));
      else if (pathname === '/') response.writeHead(303, { location: await this.begin() }).end();
      else if (pathname === '/return') say(response, 200, await this.#finish(searchParams));
      else say(response, 404, page('There is nothing at this address'));
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      say(response, 502, page('The service could not be asked', said));
    }
  }

  /**
   * Exchanges the completion code from the browser, together with the attempt token, which the
   * browser never had.
   */
  async #finish(query: URLSearchParams): Promise<DemoPage> {
    const attemptId = query.get('attempt_id') ?? '';
    const attemptToken = this.#waiting.get(attemptId);
    if (attemptToken === undefined) {
      return page('No sign-in of this kind is waiting', 'Each one is finished once. Begin again.');
    }
    if (query.has('error')) return this.#notSignedIn(attemptId, attemptToken);
    const { isOk, status, text } = await this.#post(`/token/${attemptId}`, {
      attempt_token: attemptToken,
      completion_code: query.get('completion_code') ?? '',
    });
    if (!isOk) return page('The exchange was refused', `${status}: ${text}`);
    this.#waiting.delete(attemptId);
    return signedIn(text);
  }

  /** Anybody can put an error into an address, so the page shows the attempt's status instead. */
  async #notSignedIn(attemptId: string, attemptToken: string): Promise<DemoPage> {
    const headers = { 'x-provider-attempt-token': attemptToken };
    const answer = await fetch(`${this.#api}/status/${attemptId}`, { headers });
    const text = await answer.text();
    const status = textAt(text, 'data', 'status') ?? 'unknown';
    return page('Nobody has signed in', textAt(text, 'data', 'message') ?? `It is ${status}.`);
  }

  async #post(path: string, body: object): Promise<Answer> {
    const answer = await fetch(this.#api + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#key}` },
      body: JSON.stringify(body),
    });
    return { isOk: answer.ok, status: answer.status, text: await answer.text() };
  }
}

const page = (title: string, text = ''): DemoPage => ({ title, text });

function signedIn(text: string): DemoPage {
  const of = (...path: string[]) => textAt(text, 'data', ...path) ?? '?';
  return {
    title: `${of('user', 'name')} has signed in`,
    text:
      'The browser brought the completion code, and the application exchanged it together with ' +
      'its attempt token and its key. It now holds an API token for this person.',
    facts: [
      ['Name in Arabic', of('user', 'arabic_name')],
      ['Kind of token', of('token_type')],
      ['Good until', of('expires_at')],
    ],
  };
}

function say(response: ServerResponse, status: number, shown: DemoPage): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': PAGE_POLICY,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  response.writeHead(status, headers).end(demoPage(shown));
}
