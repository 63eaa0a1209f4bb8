import type { ErrorCode } from '../../errors/catalogue.ts';
import { Refusal, type RefusalDetails } from '../../errors/refusal.ts';
import { isTlsFault } from '../../values/transport-fault.ts';
import { asObject, member, textMember, type JsonObject } from '../strict-json.ts';
import type { ProviderMode } from '../provider-config.ts';
import type { CallEnd } from './circuit-breaker.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import type { Body } from './read-body.ts';
import type { TransportFault, WireReply } from './transport.ts';

/** The parts of the provider's error record (interface document) that we use. */
export interface ErrorRecord {
  readonly code: string;
  readonly reference: number | null;
}

/** The result of one try. `again`: a second try may help, if the operation permits one. */
export type Verdict =
  | { readonly kind: 'answer'; readonly value: JsonObject; readonly simulated: boolean }
  | { readonly kind: 'record'; readonly record: ErrorRecord }
  | RefusedVerdict;

interface RefusedVerdict {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  readonly end: CallEnd;
  readonly again: boolean;
  /** The gateway before the provider did not let the call in, so that nothing was done. */
  readonly isKeyRefused?: boolean;
}

/** The waiting time after an outage, and while another prompt is open. */
const OUTAGE_RETRY_SECONDS = 5;
const ACTIVE_PUSH_RETRY_SECONDS = 60;
const LONGEST_RETRY_SECONDS = 300;

export function verdictOfReply(
  operation: OperationName,
  reply: WireReply,
  mode: ProviderMode | 'any',
): Verdict {
  if (reply.simulated && mode === 'live') return refused('provider.misconfigured', 'a simulator');
  if (reply.status >= 500) return outage(`status ${reply.status}`, reply, true);
  // The provider works and only limits the rate, so other calls need not stop.
  if (reply.status === 429) return { ...outage('status 429', reply, false), end: 'answered' };
  if (reply.status < 200 || reply.status >= 300) return verdictOfRefusal(operation, reply);
  if (!reply.simulated && mode === 'rehearsal') {
    return refused('provider.misconfigured', 'not a simulator');
  }
  const value = reply.body.kind === 'json' ? asObject(reply.body.value) : null;
  if (value === null) return refused('provider.bad_response', faultOf(reply.body));
  return { kind: 'answer', value, simulated: reply.simulated };
}

/**
 * If nothing was sent, it is only an outage. Otherwise the provider may have acted: for a GET this
 * does no harm, for other methods the outcome is unknown.
 */
export function verdictOfFault(operation: OperationName, fault: TransportFault): Verdict {
  const { kind } = fault;
  if (isTlsFault(kind)) {
    return refused('provider.misconfigured', fault.message, 'outage', { tlsFault: kind });
  }
  switch (kind) {
    case 'timeout':
      return refused('provider.timeout', fault.message, 'outage');
    case 'not_sent':
      return outage(fault.message, null, true, { isUnsent: true });
    case 'lost':
      return OPERATIONS[operation].method === 'GET'
        ? outage(fault.message, null, true)
        : refused('provider.timeout', fault.message, 'outage');
  }
}

function verdictOfRefusal(operation: OperationName, { status, body }: WireReply): Verdict {
  const record = recordIn(body, status);
  if (record === null) {
    const isKeyRefused = status === 401 || status === 403;
    return { ...refused(codeOf(status), `status ${status}, ${faultOf(body)}`), isKeyRefused };
  }
  const { answers }: { answers: readonly string[] } = OPERATIONS[operation];
  if (answers.includes(record.code)) return { kind: 'record', record };
  return refusedByRecord(record, status);
}

/** Our code for an error status of the provider, or of its gateway, without an error record. */
function codeOf(status: number): ErrorCode {
  const isRefused = status === 401 || status === 403 || status === 404;
  return isRefused ? 'provider.misconfigured' : 'provider.bad_response';
}

function refusedByRecord({ code, reference }: ErrorRecord, status: number): Verdict {
  const ours = RECORD_CODES.get(code) ?? codeOf(status);
  const details = {
    reason: `record ${code}`,
    cause: new Error(`identity provider: record ${code}`),
    // The same answer as for our own push budgets: without the provider's reference, which would
    // reveal the difference, and never with the other attempt's number, because then a stranger
    // could use somebody else's approval.
    ...(code === ACTIVE_TRANSACTION
      ? { retryAfterSeconds: ACTIVE_PUSH_RETRY_SECONDS }
      : referenceOf(reference)),
  };
  return { kind: 'refused', refusal: new Refusal(ours, details), end: 'answered', again: false };
}

const referenceOf = (reference: number | null) => (reference === null ? {} : { reference });

const ACTIVE_TRANSACTION = '400-034-050';

const RECORD_CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['422-016-023', 'provider.record_not_found'],
  ['422-031-046', 'provider.misconfigured'],
  [ACTIVE_TRANSACTION, 'push.budget_spent'],
]);

const RECORD_CODE = /^\d{3}-\d{3}-\d{3}$/;

/** The error record of an answer if its code begins with the HTTP status; otherwise null. */
export function recordIn(body: Body, status: number): ErrorRecord | null {
  const record = body.kind === 'json' ? asObject(body.value) : null;
  const code = record === null ? undefined : textMember(record, 'code');
  if (record === null || code === undefined) return null;
  if (!RECORD_CODE.test(code) || !code.startsWith(`${status}-`)) return null;
  const reference = member(record, 'reference');
  return { code, reference: isReference(reference) ? reference : null };
}

function isReference(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function faultOf(body: Body): string {
  if (body.kind === 'fault') return body.fault;
  if (body.kind === 'json') return 'not the expected JSON';
  return GATEWAY_TEXTS.get(body.text.trim()) ?? 'not JSON';
}

/**
 * Known texts of the gateway before the provider, and what they mean. Other texts are never
 * repeated.
 */
export const GATEWAY_TEXTS: ReadonlyMap<string, string> = new Map([
  ['Authentication failed', 'gateway: key, address or environment not accepted'],
  ['No Mapping Rule matched', 'gateway: path not known'],
]);

function outage(
  cause: string,
  reply: WireReply | null,
  again: boolean,
  details: RefusalDetails = {},
): RefusedVerdict {
  const asked = reply?.retryAfterSeconds ?? OUTAGE_RETRY_SECONDS;
  const retryAfterSeconds = Math.min(Math.max(1, asked), LONGEST_RETRY_SECONDS);
  const refusal = refusalOf('provider.unavailable', cause, { ...details, retryAfterSeconds });
  return { kind: 'refused', refusal, end: 'outage', again };
}

function refused(
  code: ErrorCode,
  cause: string,
  end: CallEnd = 'answered',
  details: RefusalDetails = {},
): RefusedVerdict {
  return { kind: 'refused', refusal: refusalOf(code, cause, details), end, again: false };
}

function refusalOf(code: ErrorCode, cause: string, details: RefusalDetails = {}): Refusal {
  return new Refusal(code, {
    ...details,
    reason: cause,
    cause: new Error(`identity provider: ${cause}`),
  });
}
