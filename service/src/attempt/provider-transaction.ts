import { hash } from 'node:crypto';
import type { Digest } from '../values/secret.ts';
import { SECOND_MS, type Ms } from '../values/time.ts';

/**
 * The provider's answer to the start of an attempt, kept to recognise the person's return or the
 * push result. Only remote providers have transactions.
 */
export type ProviderTransaction = RedirectTransaction | PushTransaction;

export interface RedirectTransaction {
  readonly kind: 'redirect';
  /** The address of the provider's page, used unmodified; null after a browser has come back. */
  readonly launchUrl: string | null;
  /**
   * Base64(SHA-256(state)). The state itself is not stored: it is a secret of the returning
   * browser.
   */
  readonly stateDigest: string;
  readonly nonce: string;
  /** The browser that launched the sign-in: set at the first launch and never changed. */
  readonly browserDigest: Digest | null;
  /**
   * When the provider's state was presented by another browser than the launching one; null if
   * never. Such an attempt can no longer be launched or authenticated.
   */
  readonly spoiledAt: Ms | null;
  /** At most one: that of the only exchange. */
  readonly keptTokens: readonly KeptToken[];
}

export interface PushTransaction {
  readonly kind: 'push';
  readonly transactionId: string;
  /** When the provider's status, which is not signed, first said that the person has approved. */
  readonly completedSeenAt: Ms | null;
  readonly keptTokens: readonly KeptToken[];
}

/** A token of the provider whose key was not known when it came, and could not be asked for. */
export interface KeptToken {
  readonly token: string;
  readonly cameAt: Ms;
}

/** The most results of one push that wait for their key. The first ones stay. */
const MOST_KEPT_TOKENS = 4;

/** With one more token, unless it is there already or has no place. */
export function keepToken(kept: readonly KeptToken[], one: KeptToken): readonly KeptToken[] {
  const isThere = kept.some(({ token }) => token === one.token);
  return isThere || kept.length >= MOST_KEPT_TOKENS ? kept : [...kept, one];
}

/** The state as the provider issued it: forms and some proxies turn its plus signs into spaces. */
export function returnedState(text: string): string {
  return text.replaceAll(' ', '+');
}

/** Equal to the `hashedState` that the provider gives. The state itself is never stored. */
export function stateDigest(state: string): string {
  return hash('sha256', state, 'base64');
}

/** How long to wait for the signed result after the provider's status says that it is approved. */
const PROOF_DEADLINE_MS = 30 * SECOND_MS;

export function proofDeadline(seenAt: Ms): Ms {
  return seenAt + PROOF_DEADLINE_MS;
}

/**
 * An approval without its signed result authenticates nobody, and the wait for that result is
 * limited. One that came in time and waits for its key is not late.
 */
export function isProofLate({ completedSeenAt, keptTokens }: PushTransaction, now: Ms): boolean {
  if (completedSeenAt === null) return false;
  const deadline = proofDeadline(completedSeenAt);
  return now >= deadline && keptTokens.every(({ cameAt }) => cameAt >= deadline);
}
