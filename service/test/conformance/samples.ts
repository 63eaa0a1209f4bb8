import { type Act, parseReason, textOfActor } from '../../src/audit/act.ts';
import * as fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { apiTokenDigest, makeApiTokenId } from '../../src/account/api-token.ts';
import { makeAttemptId, UUID_RANDOM_BYTES } from '../../src/values/ids.ts';
import { attemptTokenDigest, startAttempt, type AttemptRecord } from '../../src/attempt/attempt.ts';
import { completionCodeDigest } from '../../src/attempt/redeem/completion-code.ts';
import type { Digest } from '../../src/values/secret.ts';
import type { RedemptionSeal } from '../../src/attempt/redeem/idempotency.ts';
import { parseNationalId, type Person } from '../../src/account/user.ts';
import type { ProviderCall } from '../../src/attempt/provider-call.ts';
import type {
  PushTransaction,
  RedirectTransaction,
} from '../../src/attempt/provider-transaction.ts';
import { DAY_MS, type Ms } from '../../src/values/time.ts';
import type {
  AuthenticateAttempt,
  OpenTransaction,
  RedeemAttempt,
} from '../../src/store/ports/store.port.ts';

/** The start time of the suite's attempts. */
export const START: Ms = Date.UTC(2026, 0, 31, 9, 5);

let serial = 0;

/** A number that is unique in this process. */
export function nextSerial(): number {
  serial += 1;
  return serial;
}

/** A digest for each name; the store never interprets it. */
export function digestNamed(name: string): Digest {
  return completionCodeDigest(name);
}

/** Used instead of randomness: the same number gives the same bytes. */
function bytesOf(number: number): Uint8Array {
  const bytes = Buffer.alloc(UUID_RANDOM_BYTES);
  bytes.writeUIntBE(number, UUID_RANDOM_BYTES - 6, 6);
  return bytes;
}

export function sampleAttempt(changes: Partial<AttemptRecord> = {}): AttemptRecord {
  const number = nextSerial();
  return { ...attemptNumbered(number), ...changes };
}

export function attemptNumbered(number: number, createdAt: Ms = START): AttemptRecord {
  return startAttempt({
    attemptId: makeAttemptId(createdAt, bytesOf(number)),
    flow: 'mfa',
    client: 'simulator',
    tokenDigest: attemptTokenDigest(`token ${number}`),
    locale: 'ar',
    nationalId: parseNationalId('1000000001'),
    bindingCode: '012345',
    returnAddress: null,
    createdAt,
    providerExpiresAt: null,
    scenario: null,
  });
}

export function samplePerson(changes: Partial<Person> = {}): Person {
  const nationalId = parseNationalId('1000000001');
  if (nationalId === null) throw new Error('not a national id');
  return {
    issuer: 'https://provider.example',
    documentType: 'nin',
    documentNumber: String(nextSerial()),
    nationalId,
    arabicName: 'سارة',
    englishName: 'Sara',
    email: 'sara@example.com',
    nationality: 'SA',
    gender: 'F',
    assuranceLevel: 2,
    ...changes,
  };
}

export function authentication(
  { attemptId, flow }: AttemptRecord,
  changes: Partial<AuthenticateAttempt> = {},
): AuthenticateAttempt {
  return {
    attemptId,
    flow,
    at: START + 1,
    person: changes.person ?? samplePerson(),
    preferredLocale: 'en',
    completion: null,
    pushesOf: [],
    ...changes,
  };
}

export function redemption(
  { attemptId, tokenDigest }: AttemptRecord,
  changes: Partial<RedeemAttempt> = {},
): RedeemAttempt {
  const at = changes.at ?? START + 2;
  return {
    attemptId,
    tokenDigest,
    at,
    completionDigest: null,
    seal: null,
    token: tokenNumbered(nextSerial(), at),
    ...changes,
  };
}

export function tokenNumbered(number: number, at: Ms): RedeemAttempt['token'] {
  return {
    tokenId: makeApiTokenId(at, bytesOf(number)),
    tokenDigest: apiTokenDigest(`api token ${number}`),
    deviceName: 'هاتف',
    createdAt: at,
    expiresAt: at + 30 * DAY_MS,
  };
}

export function redirectTransaction(
  changes: Partial<RedirectTransaction> = {},
): RedirectTransaction {
  const number = nextSerial();
  return {
    kind: 'redirect',
    launchUrl: `https://provider.example/authorize?request=${number}`,
    stateDigest: `state ${number}`,
    nonce: `nonce ${number}`,
    browserDigest: null,
    spoiledAt: null,
    keptTokens: [],
    ...changes,
  };
}

export function pushTransaction(changes: Partial<PushTransaction> = {}): PushTransaction {
  const transactionId = `transaction ${nextSerial()}`;
  return { kind: 'push', transactionId, completedSeenAt: null, keptTokens: [], ...changes };
}

export function opening(
  { attemptId }: AttemptRecord,
  changes: Partial<OpenTransaction> = {},
): OpenTransaction {
  return {
    attemptId,
    at: START + 1,
    transaction: changes.transaction ?? pushTransaction(),
    bindingCode: '42',
    providerExpiresAt: START + 60_000,
    ...changes,
  };
}

export function sampleCall(requestId: string | null, at: Ms = START): ProviderCall {
  return {
    at,
    operation: 'pushStatus',
    requestId,
    query: {},
    body: { requestId },
    status: 200,
    answer: { status: 'WAITING' },
    reference: null,
    refusal: null,
    durationMs: 12,
  };
}

export const SEAL: RedemptionSeal = {
  salt: 'c2FsdA',
  keyDigest: completionCodeDigest('stands in for the digest of a key'),
  bodyDigest: completionCodeDigest('stands in for the digest of a body'),
  misses: 0,
};

/** Any text that a store has to keep: valid Unicode without NUL (store/ports/store.port.ts). */
export function storableText(maxLength: number): fc.Arbitrary<string> {
  return fc
    .string({ unit: anyCharacter, maxLength })
    .filter((text) => text.isWellFormed() && !text.includes('\0'));
}

/** Who acts, and why. */
export const ACT: Act = {
  actor: textOfActor({
    kind: 'command',
    account: { uid: 998, name: 'miftah' },
    login: { uid: 1001, name: 'amal' },
  }),
  reason: parseReason('reported as stolen'),
};
