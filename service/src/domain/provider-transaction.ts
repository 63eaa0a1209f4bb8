import { hash } from 'node:crypto';
import type { Digest } from './digest.ts';
import { SECOND_MS, type Ms } from './time.ts';

/**
 * What the provider answered when it was asked to begin: needed to recognise what comes back. Only
 * a provider at the other end of a network has one.
 */
export type ProviderTransaction = RedirectTransaction | PushTransaction;

export interface RedirectTransaction {
  readonly kind: 'redirect';
  /** The provider's page, to be used unmodified; null once a browser has come back. */
  readonly launchUrl: string | null;
  /** Base64(SHA-256(state)): the state itself is a secret of the browser that carries it. */
  readonly stateDigest: string;
  readonly nonce: string;
  /** The browser in which the sign-in was launched: set at the first launch, and never again. */
  readonly browserDigest: Digest | null;
  /**
   * When the provider's state was seen in another browser than the launching one; null: never.
   * Such an attempt can no longer be launched or authenticated.
   */
  readonly spoiledAt: Ms | null;
}

export interface PushTransaction {
  readonly kind: 'push';
  readonly transactionId: string;
  /** When the provider first said, without proof, that the person has approved. */
  readonly completedSeenAt: Ms | null;
}

/** The state as the provider gave it: forms and some proxies turn its plus signs into spaces. */
export function returnedState(text: string): string {
  return text.replaceAll(' ', '+');
}

/** The provider gives the same as `hashedState`: the state itself is never written down. */
export function stateDigest(state: string): string {
  return hash('sha256', state, 'base64');
}

/** How long the signed result may lag behind the provider's word that the person has approved. */
const PROOF_DEADLINE_MS = 30 * SECOND_MS;

/** An approval without its proof authenticates nobody, and does not wait for ever. */
export function isProofLate(seenAt: Ms | null, now: Ms): boolean {
  return seenAt !== null && now >= seenAt + PROOF_DEADLINE_MS;
}
