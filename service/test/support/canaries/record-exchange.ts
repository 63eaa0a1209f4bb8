import { recordCanaries, type CanaryKind } from './run-folder.ts';

type Headers = Readonly<Record<string, unknown>>;

/** Records every secret of a request, found by its name in the API. */
export function recordSent(headers: Headers, body: string): void {
  const { national_id: nationalId, completion_code: code } = membersOf(parsed(body));
  record('national id', nationalId);
  record('completion code', code);
  record('idempotency key', headers['idempotency-key']);
  const [, clientKey] = /^Bearer (mfk_\S+)$/.exec(String(headers['authorization'])) ?? [];
  record('client key', clientKey);
}

/** Records every secret of an answer. */
export function recordReceived(headers: Headers, body: string): void {
  const data = membersOf(membersOf(parsed(body))['data']);
  record('attempt token', data['attempt_token']);
  record('API token', data['token']);
  if ('phone_url' in data) record('session code', data['code']);
  const [, cookie] = /^(?:__Host-)?miftah_[^=]*=([^;]+)/.exec(String(headers['set-cookie'])) ?? [];
  record('browser cookie', cookie);
  const { location } = headers;
  if (typeof location === 'string' && URL.canParse(location)) recordAddress(new URL(location));
}

/** Records the secrets in addresses that lead to the provider and back. */
function recordAddress({ searchParams, hash }: URL): void {
  record('completion code', searchParams.get('completion_code'));
  record('completion code', new URLSearchParams(hash.slice(1)).get('completion_code'));
  const state = searchParams.get('state');
  if (state !== null && !isAttemptId(state)) record('provider state', state);
}

function isAttemptId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

function record(kind: CanaryKind, text: unknown): void {
  if (typeof text === 'string' && !text.includes('\n')) recordCanaries(kind, [text]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
