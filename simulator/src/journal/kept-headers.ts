/** The headers that explain an exchange. The others are not kept. */
const KEPT: readonly string[] = [
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
  'location',
  'origin',
  'prefer',
  'referer',
  'retry-after',
  'set-cookie',
  'user-agent',
  'www-authenticate',
  'x-auth-mode',
  'x-miftah-scope',
  'x-provider-attempt-token',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-request-id',
  'x-simulate',
];

/** More of a header says nothing to anybody. */
const MOST_CHARACTERS = 1024;

type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Those of a request or an answer that a time line shows, with names in lower case. */
export function keptHeaders(headers: Headers): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = headers[name];
    if (value !== undefined) kept[name] = textOf(value).slice(0, MOST_CHARACTERS);
  }
  return kept;
}

function textOf(value: string | number | readonly string[]): string {
  return typeof value === 'string' ? value : [value].flat().join(', ');
}
