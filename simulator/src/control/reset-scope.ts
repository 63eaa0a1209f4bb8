import type { TypedApp } from '../http/type-provider.ts';
import { DEFAULT_SCOPE } from '../engine/scenario.ts';
import type { HostedWebhooks } from '../hosted.ts';
import type { AllPrompts } from './all-prompts.ts';
import type { BrowserSessions } from './session.ts';
import { scopeOfCaller } from './scope.ts';
import type { TimeLines } from './attempts/time-lines.ts';
import { NoBody, ResetAnswer } from './wire.ts';

const TAKES = 'The body is {}, or there is none; X-Miftah-Scope names the scope.';

interface ScopeParts {
  readonly prompts: AllPrompts;
  readonly timeLines: TimeLines;
  readonly browserSessions: BrowserSessions;
  readonly webhooks: HostedWebhooks | null;
}

/**
 * POST /simulator/reset: the caller's scope is as at the start, and nothing waits in it. A reset of the
 * default scope is one of the instance, so it ends the sessions of other browsers too.
 */
export function resetScope(
  app: TypedApp,
  { prompts, timeLines, browserSessions, webhooks }: ScopeParts,
): void {
  const schema = {
    operationId: 'resetScope',
    summary: 'Drop the people, the queue, the faults, the prompts and the time lines of a scope',
    body: NoBody,
    response: { 200: ResetAnswer },
  };
  app.post('/reset', { schema, config: { takes: TAKES } }, (request) => {
    const scope = scopeOfCaller(request);
    if (scope === DEFAULT_SCOPE) browserSessions.endOthers(request);
    timeLines.reset(scope);
    const told = webhooks?.reset(scope);
    return Promise.all([prompts.reset(scope), told]).then(([dropped]) => ({
      data: { scope, prompts: dropped },
    }));
  });
}
