/** Those of an answer that say something of the exchange. */
export const ANSWER_HEADERS: readonly string[] = [
  'content-type',
  'location',
  'refresh',
  'retry-after',
  'set-cookie',
  'www-authenticate',
  'x-auth-mode',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-request-id',
];

const REQUEST_HEADERS: readonly string[] = [
  'accept',
  'accept-language',
  'app-id',
  'app-key',
  'app_id',
  'app_key',
  'authorization',
  'cookie',
  'idempotency-key',
  'last-event-id',
  'origin',
  'prefer',
  'referer',
  'user-agent',
  'x-miftah-scope',
  'x-provider-attempt-token',
  'x-simulate',
];

/** The headers that explain an exchange. The others are not kept. */
const KEPT: readonly string[] = [...REQUEST_HEADERS, ...ANSWER_HEADERS];

/** More of a header says nothing to anybody. */
const MOST_CHARACTERS = 1024;

type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Those of a request or an answer that a time line shows, with names in lower case. */
export function keptHeaders(headers: Headers): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = headers[name];
    if (value !== undefined) kept[name] = beginningOf(textOf(value));
  }
  return kept;
}

function textOf(value: string | number | readonly string[]): string {
  return typeof value === 'string' ? value : [value].flat().join(', ');
}

/** A part of a text would keep all of it in memory, so it is copied. */
function beginningOf(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return Buffer.from(text.slice(0, MOST_CHARACTERS)).toString();
}
