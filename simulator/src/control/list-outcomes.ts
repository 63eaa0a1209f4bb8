import { OutcomesAnswer } from './wire.ts';
import { outcomePerson } from '../engine/directory.ts';
import { mayWait, redirectTargetOf } from '../engine/outcome-reach.ts';
import { OUTCOMES } from '../engine/outcomes.ts';
import type { TypedApp } from '../http/type-provider.ts';

/** GET /simulator/outcomes: every outcome, its identity, and what it acts on in each flow. */
export function listOutcomes(app: TypedApp): void {
  const data = OUTCOMES.map((outcome) => {
    const { id: person, nationalId } = outcomePerson(outcome);
    return {
      national_id: nationalId,
      key: outcome.key,
      title: outcome.title,
      person,
      push: outcome.effect.on,
      redirect: redirectTargetOf(outcome),
      after: mayWait(outcome),
    };
  });
  const schema = {
    operationId: 'listOutcomes',
    summary: 'The outcomes that can be chosen, and the identities that have them',
    response: { 200: OutcomesAnswer },
  };
  app.get('/outcomes', { schema }, () => ({ data }));
}
