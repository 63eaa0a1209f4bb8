import type { TypedApp } from '../http/type-provider.ts';
import type { AllPrompts } from './all-prompts.ts';
import { scopeOfCaller } from './scope.ts';
import { ResetAnswer, ResetBody } from './wire.ts';

const TAKES = 'The body is {}, or there is none; X-Miftah-Scope names the scope.';

/** POST /simulator/reset: the caller's scope is as at the start, and nothing waits in it. */
export function resetScope(app: TypedApp, prompts: AllPrompts): void {
  const schema = {
    operationId: 'resetScope',
    summary: 'Drop the people, the queue, the faults and the prompts of a scope',
    body: ResetBody,
    response: { 200: ResetAnswer },
  };
  app.post('/reset', { schema, config: { takes: TAKES } }, (request) => {
    const scope = scopeOfCaller(request);
    return prompts.reset(scope).then((dropped) => ({ data: { scope, prompts: dropped } }));
  });
}
