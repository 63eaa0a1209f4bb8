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
  'webhook-id',
  'x-miftah-scope',
  'x-provider-attempt-token',
  'x-request-id',
  'x-simulate',
];

/** More of a header says nothing to anybody. */
const MOST_CHARACTERS = 1024;

type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

type Kept = Readonly<Record<string, string>>;

/**
 * Those of these names, which are in lower case.
 * @param earlier what was kept before: it is kept again where it is the same, because callers repeat
 *   themselves, and the texts of each request would be memory of their own
 */
export function keptHeaders(headers: Headers, names: readonly string[], earlier?: Kept): Kept {
  if (earlier !== undefined && names.every((name) => headers[name] === earlier[name])) {
    return earlier;
  }
  const kept: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) kept[name] = beginningOf(textOf(value));
  }
  return kept;
}

function textOf(value: string | number | readonly string[]): string {
  return typeof value === 'object' ? value.join(', ') : String(value);
}

/** A part of a text would keep all of it in memory, so it is copied. */
function beginningOf(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return Buffer.from(text.slice(0, MOST_CHARACTERS)).toString();
}
