import { hash } from 'node:crypto';
import type { Digest } from './digest.ts';
import { SECOND_MS, type Ms } from './time.ts';

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
   * never.
   * Such an attempt can no longer be launched or authenticated.
   */
  readonly spoiledAt: Ms | null;
  readonly keptTokens: readonly string[];
}

export interface PushTransaction {
  readonly kind: 'push';
  readonly transactionId: string;
  /** When the provider's status, which is not signed, first said that the person has approved. */
  readonly completedSeenAt: Ms | null;
  readonly keptTokens: readonly string[];
}

/**
 * The most tokens of one attempt that are kept while their key is not known and may not be asked
 * for. The first ones stay, so none can be pushed out. Whoever adds one knows the transaction or the
 * state, which only the provider and the returning browser have.
 */
const MOST_KEPT_TOKENS = 4;

/** With one more token; null where there is no place for it. */
export function keepToken(kept: readonly string[], token: string): readonly string[] | null {
  if (kept.includes(token)) return kept;
  return kept.length < MOST_KEPT_TOKENS ? [...kept, token] : null;
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

/**
 * An approval without its signed result authenticates nobody, and the wait for that result is
 * limited.
 */
export function isProofLate(seenAt: Ms | null, now: Ms): boolean {
  return seenAt !== null && now >= seenAt + PROOF_DEADLINE_MS;
}
