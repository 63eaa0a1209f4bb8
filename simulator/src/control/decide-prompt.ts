import { ControlError, type ControlErrorCode } from './errors.ts';
import { DecisionAnswer, DecisionBody, decisionRow, PromptParams } from './wire.ts';
import { DECISIONS } from '../engine/prompts.ts';
import type { DecisionRequest } from '../engine/requests.ts';
import type { DecisionRefusal } from '../engine/results.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { recordDecision } from '../journal/record-act.ts';
import type { ControlOptions } from '../options.ts';
import type { AllPrompts } from './all-prompts.ts';
import { scopeOfCaller } from './scope.ts';

const REFUSALS = {
  unknown_prompt: 'prompt.not_found',
  unknown_person: 'person.not_found',
  ended: 'prompt.ended',
  not_applicable: 'decision.not_applicable',
  unavailable: 'provider.unavailable',
} as const satisfies Record<DecisionRefusal, ControlErrorCode>;

const TAKES = `The body is {"decision": one of ${DECISIONS.join(', ')}}, and may have a "person".`;

/** POST /simulator/prompts/{id}/decision: decides in place of the person. */
export function decidePrompt(app: TypedApp, prompts: AllPrompts, options: ControlOptions): void {
  const { engine } = options;
  const schema = {
    operationId: 'decidePrompt',
    summary: 'Do what the person would do',
    params: PromptParams,
    body: DecisionBody,
    response: { 200: DecisionAnswer },
  };
  const decide = async (decision: DecisionRequest) => {
    const result = await prompts.decide(decision);
    if (!result.ok) throw new ControlError(REFUSALS[result.reason]);
    recordDecision(options, result.prompt, decision);
    return { data: decisionRow(result.prompt, engine.stateOf(result.prompt)) };
  };
  app.post('/prompts/:id/decision', { schema, config: { takes: TAKES } }, (request) => {
    const { params, body } = request;
    const choice = { decision: body.decision, personId: body.person };
    return decide({ promptId: params.id, scope: scopeOfCaller(request), ...choice });
  });
}
