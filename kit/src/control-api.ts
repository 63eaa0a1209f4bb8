import { AnswerTooLarge, answerText } from './answer-text.ts';
import { fromWire, has, toWire } from './wire.ts';

/** Longer than `GET /simulator/wait` waits. */
const CALL_LIMIT_MS = 40_000;

export interface ControlOptions {
  /** Where the instance is: `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** Null: the scope `default`. */
  readonly scope: string | null;
  /** `SIMULATOR_TOKEN` of the instance; null where it asks for none. */
  readonly token: string | null;
}

/** The HTTP interface below `/simulator`. Everything that this package does is a call of it. */
export class ControlApi {
  readonly #options: ControlOptions;
  #isStopped = false;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  /** Every later call is refused with a sentence that says so. */
  stop(): void {
    this.#isStopped = true;
  }

  get(path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const search = new URLSearchParams(query).toString();
    return this.#call('GET', search === '' ? path : `${path}?${search}`);
  }

  /** @param body in the names of this package */
  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<unknown> {
    return this.#call(method, path, body);
  }

  /**
   * @returns the `data` of the answer
   * @throws Error with what was asked, and what the instance says about it
   */
  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const { origin } = this.#options;
    if (this.#isStopped) throw new Error(`This Miftah (${origin}) was stopped.`);
    const target = `/simulator${path}`;
    const { isOk, text } = await this.#answer(target, method, body).catch((error: unknown) => {
      throw new Error(unreached(origin, error), { cause: error });
    });
    const answer = jsonOf(text);
    if (!isOk) throw new Error(`${method} ${target} was refused: ${reasonOf(answer)}`);
    return has<{ data: unknown }>(answer, 'data') ? fromWire(answer.data) : undefined;
  }

  async #answer(target: string, method: string, body: object | undefined) {
    const response = await fetch(this.#options.origin + target, {
      method,
      headers: this.#headers(body !== undefined),
      redirect: 'error',
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(toWire(body)) }),
    });
    return { isOk: response.ok, text: await answerText(response) };
  }

  #headers(hasBody: boolean): Record<string, string> {
    const { scope, token } = this.#options;
    return {
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(scope === null ? {} : { 'x-miftah-scope': scope }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
  }
}

function unreached(origin: string, error: unknown): string {
  const { name } = error instanceof Error ? error : { name: '' };
  if (name === 'TimeoutError') return `${origin} has not answered in ${CALL_LIMIT_MS / 1000} s.`;
  if (name === AnswerTooLarge.name) return `The answer of ${origin} has more than 32 MB.`;
  return (
    `No Miftah answers at ${origin}. Start one there, as with \`npx miftah dev\`, or use ` +
    'startMiftah(), which runs one in this process.'
  );
}

function reasonOf(answer: unknown): string {
  return has<{ code: unknown; message: unknown }>(answer, 'code', 'message') &&
    typeof answer.code === 'string' &&
    typeof answer.message === 'string'
    ? `${answer.code}: ${answer.message}`
    : 'this is no Miftah with a simulator';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
