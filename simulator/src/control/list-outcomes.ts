import { OutcomesAnswer } from './wire.ts';
import { outcomePerson } from '../engine/directory.ts';
import { OUTCOMES } from '../engine/outcomes.ts';
import type { TypedApp } from '../http/type-provider.ts';

/** GET /simulator/outcomes: the reserved identities and the outcome of each. */
export function listOutcomes(app: TypedApp): void {
  const data = OUTCOMES.map((outcome) => {
    const { id: person, nationalId } = outcomePerson(outcome);
    return { national_id: nationalId, key: outcome.key, title: outcome.title, person };
  });
  const schema = {
    operationId: 'listOutcomes',
    summary: 'The identities that act by themselves',
    response: { 200: OutcomesAnswer },
  };
  app.get('/outcomes', { schema }, () => ({ data }));
}
