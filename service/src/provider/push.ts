import { Refusal } from '../domain/errors/refusal.ts';
import type { Ms } from '../domain/time.ts';
import type { CallResult } from './call/call.ts';
import {
  JsonFault,
  parseStrictObject,
  textMember,
  type JsonLimits,
  type JsonObject,
} from './json/strict-json.ts';

export interface StartedPush {
  readonly transactionId: string;
  /** The number to match, as the provider writes it: `07` is not 7. */
  readonly bindingCode: string;
  readonly expiresAt: Ms;
}

/** What the provider says without a signature. It never makes anybody authenticated. */
export type PushStatus = 'waiting' | 'completed' | 'rejected' | 'expired';

/** The body of the provider's callback, not yet believed. */
export interface PushMessage {
  readonly token: string;
  readonly transactionId: string;
  readonly requestId: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BINDING_CODE = /^\d{1,8}$/;
const MESSAGE_LENGTH = 32 * 1024;
const MESSAGE_JSON: JsonLimits = { depth: 2, items: 16 };

/** @throws Refusal `provider.bad_response` */
export function parseStartedPush(answer: JsonObject, expiresAt: Ms): StartedPush {
  const transactionId = textMember(answer, 'transId') ?? '';
  const bindingCode = textMember(answer, 'random') ?? '';
  if (!UUID.test(transactionId)) throw badPush('transId');
  if (!BINDING_CODE.test(bindingCode)) throw badPush('random');
  return { transactionId, bindingCode, expiresAt };
}

const STATUSES: ReadonlyMap<string, PushStatus> = new Map([
  ['WAITING', 'waiting'],
  ['COMPLETED', 'completed'],
  ['REJECTED', 'rejected'],
  ['EXPIRED', 'expired'],
]);

/**
 * A transaction that has expired, or that the provider no longer knows (the two records that the
 * operation counts among its answers), has ended without a decision. @throws Refusal
 */
export function parsePushStatus(result: CallResult): PushStatus {
  if (result.kind === 'record') return 'expired';
  const status = STATUSES.get(textMember(result.value, 'status') ?? '');
  if (status === undefined) throw badPush('status');
  return status;
}

/** Reads the body of a callback; whether it is true is for `verifyPush`. Null when it is none. */
export function parsePushMessage(text: string): PushMessage | null {
  if (text.length > MESSAGE_LENGTH) return null;
  const message = readObject(text) ?? {};
  const token = textMember(message, 'token');
  const transactionId = textMember(message, 'transId');
  const requestId = textMember(message, 'requestId');
  if (token === undefined || transactionId === undefined || requestId === undefined) return null;
  return { token, transactionId, requestId };
}

function readObject(text: string): JsonObject | null {
  try {
    return parseStrictObject(text, MESSAGE_JSON);
  } catch (error) {
    if (error instanceof JsonFault) return null;
    throw error;
  }
}

function badPush(what: string): Refusal {
  return new Refusal('provider.bad_response', { cause: new Error(`push: ${what}`) });
}
