import { signal } from '@preact/signals';
import { page } from '../page.ts';
import { keptToken } from '../platform/kept.ts';
import { enterByCode, type Entered } from './enter.ts';
import { ApiFailure } from './failure.ts';

/** Whether the control API waits for its token: not, for the first, or since the last was wrong. */
export const tokenWanted = signal<'no' | 'first' | 'again'>('no');
/** What became of the code of the page's address, for whoever is asked for the token. */
export const entered = signal<Entered>('none');

let typed: (() => void) | null = null;
let asking: Promise<void> | null = null;

/** Takes the token that somebody has typed; the calls that waited for it are sent again. */
export function giveToken(token: string): void {
  keptToken.write(token);
  tokenWanted.value = 'no';
  asking = null;
  typed?.();
}

function askForToken(): Promise<void> {
  tokenWanted.value = keptToken.read() === null ? 'first' : 'again';
  asking ??= new Promise((resolve) => (typed = resolve));
  return asking;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Sends a request to the control API, in the scope of the page. While the API asks for its token,
 * it waits until somebody has typed one.
 * @param path below the origin, for example `/simulator/people`
 * @throws ApiFailure
 */
export async function send(path: string, options: RequestInit = {}): Promise<Response> {
  for (;;) {
    const { token, headers } = await proof();
    const all = new Headers(options.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const answer = await fetch(path, { ...options, headers: all }).catch(() => null);
    if (answer?.ok === true) return answer;
    await tokenAfter(answer, token);
  }
}

/** The headers of a call by the person at this tab, and the token among them. */
export async function proof() {
  entered.value = await enterByCode();
  const token = keptToken.read();
  const shown: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  return { token, headers: { 'x-miftah-scope': page.scope, ...shown } };
}

/**
 * Resolves when there is another token than that of the call that was refused so.
 * @throws ApiFailure where no token is wanted; null stands for no answer
 */
export async function tokenAfter(refusal: Response | null, token: string | null): Promise<void> {
  if (refusal === null) throw new ApiFailure(null, {});
  if (refusal.status !== 401) throw await ApiFailure.of(refusal);
  // Another call may have been given the token meanwhile.
  if (keptToken.read() === token) await askForToken();
}

/**
 * Calls an operation of the control API.
 * @returns the member `data` of the answer
 * @throws ApiFailure
 */
export function call<Data>(method: Method, path: string, body?: unknown): Promise<Data> {
  return callWith(method, path, body === undefined ? undefined : JSON.stringify(body));
}

/** The same with a body that is JSON already. @throws ApiFailure */
export async function callWith<Data>(method: Method, path: string, body?: string): Promise<Data> {
  const headers = { 'content-type': 'application/json' };
  const answer = await send(path, { method, ...(body === undefined ? {} : { headers, body }) });
  const { data } = (await answer.json()) as { data: Data };
  return data;
}
