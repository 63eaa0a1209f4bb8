import type { ErrorCode } from './errors/catalogue.ts';
import type { Ms } from './time.ts';

/** In the place of what must not be read. */
const REDACTED = '[redacted]';

/** Null for no content, a mark for content that is not shown, or members shown one by one. */
export type CallContent = null | typeof REDACTED | Readonly<Record<string, string | number | null>>;

/**
 * One try of one call to the provider, as an operator may read it: whoever makes one has already
 * replaced every secret and every identity value.
 */
export interface ProviderCall {
  readonly at: Ms;
  readonly operation: string;
  /** The id of the attempt that it was made for; null for what belongs to none. */
  readonly requestId: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly body: CallContent;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly answer: CallContent;
  /** What the provider's support asks for. */
  readonly reference: number | null;
  /** What the call was refused with, or null. */
  readonly refusal: ErrorCode | null;
  readonly durationMs: Ms;
}

/** Of one attempt, the latest. Somebody who polls each second makes more. */
export const CALLS_KEPT = 200;
/** Of each content, as JSON. No answer of area B that is shown comes near it. */
export const CALL_CONTENT_MAX_LENGTH = 4096;
const OPERATION_MAX_LENGTH = 64;

/** What is kept of a call: content that is too long is not cut, which could show half of a mark. */
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

/** Undefined for text that no call was written as. */
export function parseCallContent(text: string): CallContent | undefined {
  const value: unknown = parseJson(text);
  if (value === null || value === REDACTED) return value;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const members = Object.entries(value).filter(
    (member): member is [string, string | number | null] => isMember(member[1]),
  );
  return members.length === Object.keys(value).length ? Object.fromEntries(members) : undefined;
}

/** Null for text that no query was written as. */
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
