import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { recordReceived, recordSent } from '../canaries/record-exchange.ts';
import type { Issued, Started } from '../wire.ts';

const BASE_PATH = '/api/v1';

/** Where a load balancer of the tests says which instance has answered. */
export const INSTANCE_HEADER = 'x-instance';

export interface Answer {
  /** Of the instance that answered. */
  readonly origin: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body; null when it is not JSON. */
  readonly json: unknown;
}

export type { Issued, Started };

/** The request was sent, but whether it took effect is unknown. */
export class Unanswered extends Error {}

/** Calls a service as an application does. Every secret in its traffic is recorded. */
export class ApiClient {
  readonly #origin: string;
  readonly #agent: Agent;

  constructor(origin: string, { keepAlive = true }: { readonly keepAlive?: boolean } = {}) {
    this.#origin = origin;
    this.#agent = new Agent({ keepAlive });
  }

  close(): void {
    this.#agent.destroy();
  }

  async start(body: Record<string, unknown>): Promise<Started> {
    return dataOf(await this.post('/start', body)) as Started;
  }

  async token(attempt: Started, extra: Record<string, string> = {}): Promise<Issued> {
    const body = { attempt_token: attempt.attempt_token, ...extra };
    return dataOf(await this.post(`/token/${attempt.attempt_id}`, body)) as Issued;
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const json = { 'content-type': 'application/json', ...headers };
    return this.send('POST', BASE_PATH + path, json, JSON.stringify(body));
  }

  /** Posts a form as a browser does. */
  postForm(path: string, fields: Record<string, string>): Promise<Answer> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.send('POST', BASE_PATH + path, headers, new URLSearchParams(fields).toString());
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', BASE_PATH + path, headers);
  }

  status(attempt: Started): Promise<Answer> {
    const headers = { 'x-provider-attempt-token': attempt.attempt_token };
    return this.get(`/status/${attempt.attempt_id}`, headers);
  }

  remove(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('DELETE', BASE_PATH + path, headers);
  }

  /** @throws Unanswered when the connection breaks first */
  async send(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body = '',
  ): Promise<Answer> {
    recordSent(headers, body);
    const answer = await this.#exchange(method, path, headers, body);
    recordReceived(answer.headers, answer.text);
    return answer;
  }

  #exchange(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<Answer> {
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) =>
        reject(new Unanswered(`${method} ${path}`, { cause: error }));
      const sent = request(
        this.#origin + path,
        { method, headers: { ...headers, ...length }, agent: this.#agent },
        (response) => void answerOf(this.#origin, response).then(resolve, fail),
      );
      sent.once('error', fail);
      sent.end(body);
    });
  }
}

async function answerOf(asked: string, response: IncomingMessage): Promise<Answer> {
  const said = await text(response);
  const { headers, statusCode: status = 0 } = response;
  const instance = headers[INSTANCE_HEADER];
  const origin = typeof instance === 'string' ? instance : asked;
  return { origin, status, headers, text: said, json: parsed(said) };
}

/** The `data` of a success. @throws Error that shows the answer otherwise */
export function dataOf({ status, text: said, json }: Answer): unknown {
  if (status !== 200) throw new Error(`${status}: ${said}`);
  return (json as { data: unknown }).data;
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return null;
  }
}
