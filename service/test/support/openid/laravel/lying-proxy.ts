import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AtEnd } from '../../at-end.ts';

export type Members = Readonly<Record<string, unknown>>;

/** What an application is told in the place of the provider's answer. */
export type Lie = (path: string, answer: Members) => Members | Promise<Members>;

export const HONEST: Lie = (_, answer) => answer;

/** Between the back end of an application and the provider, as a proxy of HTTP. */
export class LyingProxy {
  lie = HONEST;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });

  /** @returns its address */
  async open(atEnd: AtEnd): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    atEnd(() => void this.#server.close());
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A client names the whole address to its proxy. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '');
    const { authorization, 'content-type': type } = request.headers;
    const answer = await fetch(url, {
      method: request.method ?? 'GET',
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      ...(request.method === 'POST' ? { body: await text(request) } : {}),
    });
    const told = await this.lie(url.pathname, (await answer.json()) as Members);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(told));
  }
}
