/** The headers of an answer that explain an exchange. The others are not kept. */
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

/** Those of a request. */
export const REQUEST_HEADERS: readonly string[] = [
  'accept',
  'accept-language',
  'app-id',
  'app-key',
  'app_id',
  'app_key',
  'authorization',
  'content-type',
  'cookie',
  'idempotency-key',
  'last-event-id',
  'origin',
  'prefer',
  'referer',
  'user-agent',
  'x-miftah-scope',
  'x-provider-attempt-token',
  'x-request-id',
  'x-simulate',
];

/** More of a header says nothing to anybody. */
const MOST_CHARACTERS = 1024;

type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Those of these names, which are in lower case. */
export function keptHeaders(
  headers: Headers,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const name of names) {
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
