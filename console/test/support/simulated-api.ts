import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  assets,
  consoleFiles,
  consolePage,
  contentSecurityPolicy,
  type Asset,
  type Locale,
} from '@miftah/pages';

/** What the control API answers, by method and path; a function is given the request's body, and may wait. */
export type Answers = Record<string, unknown>;

/** The console's page, before a control API whose answers the test gives. */
export class SimulatedApi {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #watchers = new Set<ServerResponse>();
  /** Every request to the control API: its method, path and body. */
  readonly asked: string[] = [];
  /** What the stream sends at first. */
  rows: readonly object[] = [];
  /** By `GET /simulator/attempts/1`; null is a 404. */
  answers: Answers = {};

  /** Forgets what the test before has made of it. */
  forget(): void {
    this.asked.length = 0;
    this.rows = [];
    this.answers = {};
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get origin(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  address(locale: Locale, hash = '#/'): string {
    return `${this.origin}/console?locale=${locale}${hash}`;
  }

  /** Tells all pages of the newest attempts again, because others have gone. */
  tellAll(...rows: readonly object[]): void {
    for (const watcher of this.#watchers) watcher.write(eventOf(rows, true));
  }

  /** Tells all pages of attempts that are new or have changed. */
  tell(...rows: readonly object[]): void {
    for (const watcher of this.#watchers) watcher.write(eventOf(rows));
  }

  /** Ends the streams of all pages. */
  cut(): void {
    for (const watcher of this.#watchers) watcher.end();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, searchParams } = new URL(request.url ?? '', this.origin);
    const files = consoleFiles();
    const all = [...assets, ...(files === null ? [] : [files.script, files.style])];
    const asset = all.find(({ path }) => path === pathname);
    if (asset !== undefined) return sendAsset(response, asset);
    if (pathname === '/console') return sendPage(response, searchParams);
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    this.asked.push(`${request.method} ${pathname}${search} ${body}`.trim());
    if (pathname === '/simulator/events') return this.#stream(response);
    await this.#reply(response, `${request.method} ${pathname}${search}`, body);
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(eventOf(this.rows, true));
    this.#watchers.add(response);
    response.on('close', () => this.#watchers.delete(response));
  }

  async #reply(response: ServerResponse, asked: string, body: string): Promise<void> {
    const given = this.answers[asked];
    const data: unknown =
      typeof given === 'function' ? await (given as (text: string) => unknown)(body) : given;
    const headers = { 'content-type': 'application/json' };
    if (data === undefined || data === null) {
      const problem = {
        status: 404,
        code: 'attempt.not_found',
        message: 'There is no such attempt.',
      };
      return void response.writeHead(404, headers).end(JSON.stringify(problem));
    }
    response.writeHead(200, headers).end(JSON.stringify({ data }));
  }
}

function eventOf(rows: readonly object[], all = false): string {
  return `event: attempts\ndata: ${JSON.stringify({ all, data: rows })}\n\n`;
}

/** As the service sends them: the address of an asset is of its content. */
function sendAsset(response: ServerResponse, asset: Asset): void {
  const cached = { 'cache-control': 'public, max-age=31536000, immutable' };
  response.writeHead(200, { 'content-type': asset.contentType, ...cached }).end(asset.read());
}

function sendPage(response: ServerResponse, asked: URLSearchParams): void {
  const locale = asked.get('locale') === 'en' ? 'en' : 'ar';
  const languageLinks = { ar: '/console?locale=ar', en: '/console?locale=en' };
  const scope = asked.get('scope') ?? 'default';
  const page = consolePage({ locale, languageLinks, scope, besideService: true });
  if (page === null) throw new Error('the console is not built: node scripts/setup.mjs');
  const policy = contentSecurityPolicy({ formAction: 'none', script: page.script });
  response
    .writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    })
    .end(page.html);
}
