import { promptRow, PromptsAnswer, PromptsQuery } from './wire.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { AllPrompts } from './all-prompts.ts';
import { scopeOfCaller } from './scope.ts';

const TAKES = 'The query may have one request_id, of 1 to 128 characters, and nothing else.';

/** GET /simulator/prompts: the prompts that wait for a person, oldest first. */
export function listPrompts(app: TypedApp, prompts: AllPrompts): void {
  const schema = {
    operationId: 'listPrompts',
    summary: 'What waits for a person, oldest first',
    querystring: PromptsQuery,
    response: { 200: PromptsAnswer },
  };
  app.get('/prompts', { schema, config: { takes: TAKES } }, (request) => {
    const wanted = { scope: scopeOfCaller(request), requestId: request.query.request_id ?? null };
    return prompts.waiting(wanted).then((found) => ({ data: found.map(promptRow) }));
  });
}
