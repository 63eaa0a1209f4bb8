import { checkAgainstDocument, sharedDocument, type OpenApi } from '../service/check-openapi.ts';
import { recordReceived, recordSent } from '../canaries/record-exchange.ts';

export interface Started {
  readonly attempt_id: string;
  readonly attempt_token: string;
  readonly authorization_url: string;
  readonly random: string;
}

const BASE_PATH = '/api/v1';
const documents = new Map<string, Promise<OpenApi>>();

export type Json = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The whole body; empty when it is not JSON. */
  readonly body: Json;
  /** The body's `data`; empty when it has none. */
  readonly data: Json;
  /** The code of an error; empty for other answers. */
  readonly code: string;
}

/** A client of the service in live mode. */
export class LiveClient {
  readonly #origin: string;
  readonly #key: string | null;

  constructor({ service }: { readonly service: { readonly origin: string } }, key: string | null) {
    this.#origin = service.origin;
    this.#key = key;
  }

  async start(body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/start', { locale: 'en', ...body }, headers);
  }

  async startRedirect(body: object = {}): Promise<Started> {
    return succeeded(await this.start(body));
  }

  async startPhone(nationalId: string): Promise<Started> {
    return succeeded(await this.start({ national_id: nationalId }));
  }

  status({ attempt_id, attempt_token }: Started): Promise<Answer> {
    return this.get(`/status/${attempt_id}`, { 'x-provider-attempt-token': attempt_token });
  }

  confirm({ attempt_id, attempt_token }: Started): Promise<Answer> {
    const headers = { 'x-provider-attempt-token': attempt_token };
    return this.post('/complete-mfa', { attempt_id }, headers);
  }

  redeem(
    { attempt_id, attempt_token }: Started,
    extra: object = {},
    headers = {},
  ): Promise<Answer> {
    return this.post(`/token/${attempt_id}`, { attempt_token, ...extra }, headers);
  }

  cancel(
    { attempt_id, attempt_token }: Started,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const own = { 'x-provider-attempt-token': attempt_token, ...this.#credential() };
    return this.send(`/attempts/${attempt_id}`, {
      method: 'DELETE',
      headers: { ...own, ...headers },
    });
  }

  user(token: string): Promise<Answer> {
    return this.get('/user', { authorization: `Bearer ${token}` });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(path, { headers });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const json = { 'content-type': 'application/json' };
    return this.send(path, {
      method: 'POST',
      headers: { ...json, ...this.#credential(), ...headers },
      body: JSON.stringify(body),
    });
  }

  async send(path: string, init: RequestInit & { headers: Record<string, string> }) {
    recordSent(init.headers, typeof init.body === 'string' ? init.body : '');
    const answer = await fetch(this.#origin + BASE_PATH + path, { redirect: 'manual', ...init });
    const text = await answer.text();
    recordReceived(Object.fromEntries(answer.headers), text);
    const { method = 'GET' } = init;
    const mediaType = answer.headers.get('content-type') ?? '';
    const exchange = {
      method,
      path: BASE_PATH + path,
      status: answer.status,
      mediaType,
      headers: [...answer.headers.keys()],
      body: text,
    };
    checkAgainstDocument(await this.#document(), exchange);
    return answerOf(answer, text);
  }

  /** The service's OpenAPI document, read once. Each answer is checked against it. */
  #document(): Promise<OpenApi> {
    const known = documents.get(this.#origin);
    if (known !== undefined) return known;
    const read = fetch(`${this.#origin}/openapi.json`).then(async (answer) =>
      sharedDocument((await answer.json()) as OpenApi),
    );
    documents.set(this.#origin, read);
    return read;
  }

  #credential(): Record<string, string> {
    return this.#key === null ? {} : { authorization: `Bearer ${this.#key}` };
  }
}

function answerOf({ status, headers }: Response, text: string): Answer {
  const isJson = headers.get('content-type')?.includes('json') === true;
  const body = asObject(isJson ? JSON.parse(text) : null);
  const { data, code } = body;
  return {
    status,
    headers,
    text,
    body,
    data: asObject(data),
    code: typeof code === 'string' ? code : '',
  };
}

function succeeded({ status, data, text }: Answer): Started {
  if (status !== 200) throw new Error(`the start was answered ${status}: ${text}`);
  return data as unknown as Started;
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
