/** What an attempt and a decision keep of people, so that nobody else is taken for them later. */
import {
  markOf,
  signerToKeep,
  type DecisionChoice,
  type Engine,
  type PersonMark,
  type Prompt,
} from '@miftah/simulator/engine';
import { DEFAULT_SCENARIO, scopeOf, type Scenario } from '../attempt/scenario.ts';
import type { AttemptReference } from '../provider/identity-provider.port.ts';

/** With what is needed to know later who was asked. */
export function withSigner(
  engine: Engine,
  { nationalId }: AttemptReference,
  scenario: Scenario | null,
): Scenario | null {
  const { directory } = engine.scopes.of(scopeOf({ scenario }));
  const signer = signerToKeep(nationalId, directory);
  return signer === null ? scenario : { ...(scenario ?? DEFAULT_SCENARIO), signer };
}

/** Who was named by a decision; null for nobody. */
export function namedIn({ personId }: DecisionChoice, { decided }: Prompt): PersonMark | null {
  return personId !== undefined && decided?.state === 'approved' ? markOf(decided.person) : null;
}
