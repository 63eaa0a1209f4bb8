import type { InstanceSettings } from '../../config/instance.ts';
import { AnswerTooLarge, answerText } from './answer-text.ts';
import type { DriveContext } from './drive-context.ts';
import { DriveFailure, interrupted, unreached } from './failure.ts';
import { OPERATIONS, type OperationId } from './operations.ts';
import { rowOf, textOf, type Row } from './rows.ts';

/** Longer than `GET /simulator/wait` waits. */
const CALL_LIMIT_MS = 40_000;

export interface ControlCall {
  readonly params?: Readonly<Record<string, string>>;
  /** Members that are undefined are not sent, here and in the body. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  /** When nobody waits for the answer any more. */
  readonly limitMs?: number;
}

/** The control API of one instance. */
export class Control {
  readonly #instance: InstanceSettings;
  readonly #fetch: typeof fetch;
  readonly #stop: AbortSignal;

  /** From here on Ctrl-C ends the command, and not the process. */
  constructor(instance: InstanceSettings, context: Pick<DriveContext, 'fetch' | 'stop'>) {
    this.#instance = instance;
    this.#fetch = context.fetch;
    this.#stop = context.stop;
  }

  /**
   * @returns the `data` of the answer; null for an answer without a body
   * @throws DriveFailure
   */
  async call(operation: OperationId, call: ControlCall = {}): Promise<unknown> {
    const { method, path } = OPERATIONS[operation];
    const { origin } = this.#instance;
    const { response, text } = await this.#send(origin + pathOf(path, call), method, call);
    const answer = jsonOf(text);
    if (response.ok && text === '') return null;
    if (response.ok && isAnswer(answer)) return answer['data'];
    throw failureOf(origin, response, rowOf(answer));
  }

  async #send(
    address: string,
    method: string,
    { body, limitMs = CALL_LIMIT_MS }: ControlCall,
  ): Promise<{ readonly response: Response; readonly text: string }> {
    const [ask, stop] = [this.#fetch, this.#stop];
    const limit = AbortSignal.any([stop, AbortSignal.timeout(limitMs)]);
    try {
      const response = await ask(address, {
        method,
        // The token would be sent on to another host.
        redirect: 'manual',
        headers: this.#headers(body !== undefined),
        signal: limit,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { response, text: await answerText(response) };
    } catch (error) {
      if (stop.aborted) throw interrupted();
      throw unreached(this.#instance.origin, reasonOf(error));
    }
  }

  #headers(hasBody: boolean): Record<string, string> {
    const { simulatorToken, scope } = this.#instance;
    return {
      accept: 'application/json',
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(simulatorToken === null ? {} : { authorization: `Bearer ${simulatorToken}` }),
      ...(scope === null ? {} : { 'x-miftah-scope': scope }),
    };
  }
}

function pathOf(template: string, { params = {}, query = {} }: ControlCall): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const members = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(members.map(([name, value]) => [name, value ?? '']));
  return members.length === 0 ? path : `${path}?${search.toString()}`;
}

/** What this program can do about a refusal of the control API. */
const REMEDIES: Readonly<Record<string, string>> = {
  'simulator.token_required':
    'Set SIMULATOR_TOKEN to the token that the instance was started with. One that was started ' +
    'without it lets browsers in alone.',
  'attempts.elsewhere': 'Name the service that calls this simulator, with --url or MIFTAH_URL.',
};

function failureOf(origin: string, response: Response, problem: Row): DriveFailure {
  const { headers } = response;
  const mode = headers.get('x-auth-mode');
  const code = textOf(problem, 'code');
  if (mode === 'live' || (mode === 'rehearsal' && code === 'route.not_found')) {
    return withoutSimulator(mode);
  }
  if (code === '') return unreached(origin, 'what answers there is another program');
  return new DriveFailure({
    code,
    message: textOf(problem, 'message'),
    remedy: textOf(problem, 'remedy') || REMEDIES[code],
    requestId: textOf(problem, 'request_id') || (headers.get('x-request-id') ?? undefined),
  });
}

function withoutSimulator(mode: string): DriveFailure {
  return new DriveFailure({
    code: 'command.no_simulator',
    message: 'This service runs in live mode, and a live service has no simulator to drive.',
    remedy:
      mode === 'live'
        ? 'Name an instance in simulator mode with --url or MIFTAH_URL. `miftah login` works here.'
        : 'It is a rehearsal: name the simulator that it calls with --url or MIFTAH_URL.',
  });
}

/** The code of the system, such as ECONNREFUSED, is in the cause of what `fetch` throws. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no connection';
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error instanceof AnswerTooLarge) return 'the answer has more than 32 MB';
  const code = textOf(rowOf(error.cause), 'code');
  return code === '' ? 'no connection' : code;
}

function isAnswer(value: unknown): value is { readonly data: unknown } {
  return typeof value === 'object' && value !== null && 'data' in value;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
