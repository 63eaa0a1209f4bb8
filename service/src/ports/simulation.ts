import type { Ms } from '../domain/time.ts';
import type { DocumentType } from '../domain/user.ts';
import type { AttemptReference } from './identity-provider.ts';

/** An invented person, as the sign-in page and the banner show them. */
export interface TestPerson {
  readonly id: string;
  readonly nationalId: string;
  readonly documentType: DocumentType;
  readonly arabicName: string;
  readonly englishName: string;
  readonly isDefault: boolean;
}

/** A number that nobody has, and what becomes of a push to it. */
export interface ReservedIdentity {
  readonly nationalId: string;
  readonly title: { readonly ar: string; readonly en: string };
}

export type SimulatedDecision = 'approve' | 'refuse' | 'not_me';

/**
 * What only a simulated provider can do: act for the person. There is none in live mode.
 *
 * - M-1: after `decide`, the provider's `collect` gives the matching result.
 * - M-2: without a person, the fixed default person decides, or the listed person whose
 *   identifier the attempt asked for.
 * - M-3: the first decision stands; a later one changes nothing.
 */
export interface Simulation {
  people(): readonly TestPerson[];
  reserved(): readonly ReservedIdentity[];
  decide(
    attempt: AttemptReference,
    decision: SimulatedDecision,
    personId: string | null,
    now: Ms,
  ): void;
}
