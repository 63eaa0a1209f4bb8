import { createClient, type ClientOptions, type Miftah } from '@miftah/client';
import { recordReceived, recordSent } from '../canaries/record-exchange.ts';

const BASE_PATH = '/api/v1';
/** The fixed client key of simulator mode. */
const SIMULATOR_KEY = 'mfk_test_simulator';

/** The modes that a client has to work in without a change, with their settings. */
export const MODES = [
  ['simulator mode', {}],
  // The tests ask whether it is ready at `localhost`, which strict mode does not allow by itself.
  ['strict mode', { STRICT: 'yes', ALLOWED_HOSTS: 'localhost' }],
] as const;

/** A client of the service at this origin, whose secrets are recorded. */
export function clientOf(
  { origin }: { readonly origin: string },
  options: Partial<ClientOptions> = {},
): Miftah {
  const base = { baseUrl: origin + BASE_PATH, clientKey: SIMULATOR_KEY };
  return createClient({ ...base, fetch: recordingFetch, ...options });
}

/** `fetch`, with the secrets of requests and answers recorded. */
export async function recordingFetch(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  recordSent(
    Object.fromEntries(new Headers(init.headers)),
    typeof init.body === 'string' ? init.body : '',
  );
  const response = await fetch(input, init);
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const text = isJson ? await response.clone().text() : '';
  recordReceived(Object.fromEntries(response.headers), text);
  return response;
}

/** Requests that a client has sent, as `GET /status/ID/events`, without the ids. */
export function watchedFetch(): { readonly fetch: typeof fetch; readonly sent: string[] } {
  const sent: string[] = [];
  const watched = (input: string | URL | Request, init: RequestInit = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const path = pathname.slice(BASE_PATH.length).replace(/[\da-f]{8}-[\da-f-]{27}/, 'ID');
    sent.push(`${init.method ?? 'GET'} ${path}${search}`);
    return recordingFetch(input, init);
  };
  return { fetch: watched, sent };
}
