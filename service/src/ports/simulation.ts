import type { Ms } from '../domain/time.ts';
import type { DocumentType } from '../domain/user.ts';
import type { AttemptReference } from './identity-provider.ts';

/** An invented person, as shown on the sign-in page and in the banner. */
export interface TestPerson {
  readonly id: string;
  readonly nationalId: string;
  readonly documentType: DocumentType;
  readonly arabicName: string;
  readonly englishName: string;
  readonly isDefault: boolean;
}

/** A number that belongs to no test person, and the fixed result of a push to it. */
export interface ReservedIdentity {
  readonly nationalId: string;
  readonly title: { readonly ar: string; readonly en: string };
}

export type SimulatedDecision = 'approve' | 'refuse' | 'not_me';

/**
 * What only a simulated provider can do: decide in place of the person. Live mode has none.
 *
 * - M-1: after `decide`, the provider's `collect` gives the matching result.
 * - M-2: without a person, the listed person with the attempt's identifier decides, or else the
 *   fixed default person.
 * - M-3: the first decision counts; a later one changes nothing.
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
