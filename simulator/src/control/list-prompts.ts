import { promptRow, PromptsAnswer, PromptsQuery } from './wire.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';

/** GET /simulator/prompts: the prompts that wait for a person, oldest first. */
export function listPrompts(app: TypedApp, { engine }: ControlOptions): void {
  const schema = {
    operationId: 'listPrompts',
    summary: 'What waits for a person, oldest first',
    querystring: PromptsQuery,
    response: { 200: PromptsAnswer },
  };
  app.get('/prompts', { schema }, (request) => ({
    data: engine.prompts(request.query.request_id).map(promptRow),
  }));
}
