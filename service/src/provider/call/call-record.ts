import type { ErrorCode } from '../../errors/catalogue.ts';
import { REDACTED, type CallContent, type ProviderCall } from '../../attempt/provider-call.ts';
import type { Ms } from '../../values/time.ts';
import { isUuid } from '../../values/ids.ts';
import { asObject, type JsonObject, type JsonValue } from '../strict-json.ts';
import type { OperationName } from './operations.ts';
import type { Body } from './read-body.ts';
import type { TransportFault } from './transport.ts';
import { GATEWAY_TEXTS, recordIn } from './verdict.ts';

/** A call to the provider with the name of its operation in this driver. */
export interface CallRecord extends ProviderCall {
  readonly operation: OperationName;
}

/**
 * Gets each record when its call ends. It must not throw, because that would lose the call's
 * result.
 */
export type CallRecorder = (record: CallRecord) => void;

export interface RecordedCall {
  readonly at: Ms;
  readonly endedAt: Ms;
  readonly operation: OperationName;
  readonly requestId: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly body: JsonObject | null;
  readonly reply: { readonly status: number; readonly body: Body } | null;
  /** Why there is no reply. */
  readonly fault: TransportFault | null;
  readonly refusal: ErrorCode | null;
}

export function makeCallRecord(call: RecordedCall): CallRecord {
  const { at, operation, requestId, body, reply, fault, refusal } = call;
  const secrets = secretsOf(call);
  const reference = reply === null ? null : (recordIn(reply.body, reply.status)?.reference ?? null);
  return {
    at,
    operation,
    requestId: shownId(requestId),
    query: redactQuery(call.query),
    body: body === null ? null : redactObject(body, SHOWN_OF_REQUESTS, secrets),
    status: reply?.status ?? null,
    answer: reply === null ? absence(fault) : redactBody(reply.body, { requestId, secrets }),
    reference: hides(secrets, reference) ? null : reference,
    refusal,
    durationMs: call.endedAt - at,
  };
}

/** The fault has only our word for it, and the system's code. */
function absence(fault: TransportFault | null): CallContent {
  return fault === null ? null : { no_answer: fault.message };
}

/**
 * A value is shown only if its member is known to be harmless and the value has the expected form.
 */
type Shown = ReadonlyMap<string, (value: JsonValue) => boolean>;

const isLocale = (value: JsonValue): boolean => value === 'ar' || value === 'en';
const isWord = (value: JsonValue): boolean =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z-]{0,31}$/.test(value);

/** `service` is one of our settings. */
const SHOWN_OF_REQUESTS: Shown = new Map([['service', isWord]]);

const STATUS_WORDS = /^(?:WAITING|COMPLETED|REJECTED|EXPIRED|[1-5]\d\d)$/;
const RECORD_CODE = /^[1-5]\d\d-\d{3}-\d{3}$/;
const KNOWN_MESSAGES = new Set(["Couldn't find the requested record."]);

const SHOWN_OF_ANSWERS: Shown = new Map<string, (value: JsonValue) => boolean>([
  ['status', (value) => typeof value === 'string' && STATUS_WORDS.test(value)],
  ['code', (value) => typeof value === 'string' && RECORD_CODE.test(value)],
  ['message', (value) => typeof value === 'string' && KNOWN_MESSAGES.has(value)],
  ['reference', (value) => Number.isSafeInteger(value)],
  ['id', () => false],
  ['timestamp', () => false],
]);

const SHORTEST_SECRET = 6;

/**
 * The hidden values of the request. An answer might repeat one of them in a member that is shown.
 */
function secretsOf({ body }: RecordedCall): readonly string[] {
  const hidden = Object.entries(body ?? {}).filter(([name]) => !SHOWN_OF_REQUESTS.has(name));
  const texts = hidden.map(([, value]) => textOf(value));
  return texts.filter((text) => text.length >= SHORTEST_SECRET);
}

function hides(secrets: readonly string[], value: JsonValue): boolean {
  const text = textOf(value);
  return secrets.some((secret) => text.includes(secret));
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shownId(requestId: string | null): string | null {
  return requestId === null || isUuid(requestId) ? requestId : REDACTED;
}

function redactQuery(query: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(query).map(([name, value]) => {
    const isShown = name === 'requestId' ? isUuid(value) : isLocale(value);
    return [name, isShown ? value : REDACTED] as const;
  });
  return Object.fromEntries(entries);
}

interface AnswerContext {
  readonly requestId: string | null;
  readonly secrets: readonly string[];
}

function redactBody(body: Body, { requestId, secrets }: AnswerContext): CallContent {
  if (body.kind === 'text') return redactText(body.text.trim());
  const object = body.kind === 'json' ? asObject(body.value) : null;
  if (object === null) return REDACTED;
  const isEcho = (value: JsonValue) => value === requestId && shownId(requestId) === value;
  return redactObject(object, new Map([...SHOWN_OF_ANSWERS, ['requestId', isEcho]]), secrets);
}

function redactText(text: string): CallContent {
  return GATEWAY_TEXTS.has(text) ? { text } : REDACTED;
}

/** Unknown member names may carry content too, so they are all replaced by the same mark. */
function redactObject(
  object: JsonObject,
  shown: Shown,
  secrets: readonly string[],
): Record<string, string | number | null> {
  const entries = Object.entries(object).map(([name, value]) => {
    const isKnown = shown.has(name) || SECRET_MEMBERS.has(name);
    return [isKnown ? name : REDACTED, shownValue(name, value, shown, secrets)] as const;
  });
  return Object.fromEntries(entries);
}

/** Members of area B whose names are shown and whose values never are. */
const SECRET_MEMBERS = new Set(
  'nationalId transId random state token url hashedState keys'.split(' '),
);

function shownValue(
  name: string,
  value: JsonValue,
  shown: Shown,
  secrets: readonly string[],
): string | number | null {
  if (value === null && shown.has(name)) return null;
  const isShown = shown.get(name)?.(value) === true && !hides(secrets, value);
  return isShown && (typeof value === 'string' || typeof value === 'number') ? value : REDACTED;
}
