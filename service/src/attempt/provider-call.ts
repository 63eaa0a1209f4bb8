import type { ErrorCode } from '../errors/catalogue.ts';
import type { Ms } from '../values/time.ts';

/** Replaces a value that must not be read. */
export const REDACTED = '[redacted]';

/**
 * Null: no content. `[redacted]`: content that is not shown. Otherwise the members that are shown.
 */
export type CallContent = null | typeof REDACTED | Readonly<Record<string, string | number | null>>;

/**
 * One request to the provider (a retry is another one), as an operator may read it (decision 0035).
 * Every secret and identity value is replaced when the record is made, so no unredacted one exists.
 */
export interface ProviderCall {
  readonly at: Ms;
  readonly operation: string;
  /** The id of the attempt that the call was made for; null for one that fetches the signing keys. */
  readonly requestId: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly body: CallContent;
  /** Null when no answer came. */
  readonly status: number | null;
  /** When no answer came, `no_answer` is its only member, and says why. */
  readonly answer: CallContent;
  /** The reference number that the provider's support asks for. */
  readonly reference: number | null;
  /** The error that the call ended with; null for a success. */
  readonly refusal: ErrorCode | null;
  readonly durationMs: Ms;
}

/** The newest calls of an attempt that are kept. A client that polls every second causes more. */
export const CALLS_KEPT = 200;
/** The limit for each content, as JSON. No answer of area B that is shown comes near it. */
export const CALL_CONTENT_MAX_LENGTH = 4096;
const OPERATION_MAX_LENGTH = 64;

/**
 * The part of a call that is stored. Content that is too long is replaced, not cut, because a cut
 * could leave half of a redaction mark.
 */
export function boundedCall(call: ProviderCall): ProviderCall {
  return {
    ...call,
    operation: call.operation.slice(0, OPERATION_MAX_LENGTH),
    query: isShort(call.query) ? call.query : { [REDACTED]: REDACTED },
    body: isShort(call.body) ? call.body : REDACTED,
    answer: isShort(call.answer) ? call.answer : REDACTED,
  };
}

function isShort(content: CallContent): boolean {
  return JSON.stringify(content).length <= CALL_CONTENT_MAX_LENGTH;
}

/** Undefined for text that is not stored content of a call. */
export function parseCallContent(text: string): CallContent | undefined {
  const value: unknown = parseJson(text);
  if (value === null || value === REDACTED) return value;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const members = Object.entries(value).filter(
    (member): member is [string, string | number | null] => isMember(member[1]),
  );
  return members.length === Object.keys(value).length ? Object.fromEntries(members) : undefined;
}

/** Null for text that is not a stored query. */
export function parseCallQuery(text: string): Record<string, string> | null {
  const value = parseCallContent(text);
  if (typeof value !== 'object' || value === null) return null;
  const members = Object.entries(value).filter(
    (member): member is [string, string] => typeof member[1] === 'string',
  );
  return Object.fromEntries(members);
}

function isMember(value: unknown): value is string | number | null {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
