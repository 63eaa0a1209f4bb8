import { typedDigits } from '@miftah/contract/typed-digits';
import type { Static } from '@miftah/schema';
import {
  promptRow,
  PromptsAnswer,
  PromptsQuery,
  DecisionAnswer,
  DecisionBody,
  decisionRow,
  PromptParams,
} from './wire.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { AllPrompts } from './all-prompts.ts';
import { scopeOfCaller } from './scope.ts';
import { ControlError, type ControlErrorCode } from './errors.ts';
import { DECISIONS, type Decision, type Prompt } from '../engine/prompts/prompts.ts';
import type { DecisionRefusal } from '../engine/results.ts';
import { recordDecision } from '../journal/record-act.ts';
import type { ControlOptions } from '../options.ts';

const LIST_TAKES = 'The query may have one request_id, of 1 to 128 characters, and nothing else.';

/** GET /simulator/prompts: the prompts that wait for a person, oldest first. */
export function listPrompts(app: TypedApp, prompts: AllPrompts): void {
  const schema = {
    operationId: 'listPrompts',
    summary: 'What waits for a person, oldest first',
    querystring: PromptsQuery,
    response: { 200: PromptsAnswer },
  };
  app.get('/prompts', { schema, config: { takes: LIST_TAKES } }, (request) => {
    const wanted = { scope: scopeOfCaller(request), requestId: request.query.request_id ?? null };
    return prompts.waiting(wanted).then((found) => ({ data: found.map(promptRow) }));
  });
}

const REFUSALS = {
  unknown_prompt: 'prompt.not_found',
  unknown_person: 'person.not_found',
  ended: 'prompt.ended',
  not_applicable: 'decision.not_applicable',
  unavailable: 'provider.unavailable',
} as const satisfies Record<DecisionRefusal, ControlErrorCode>;

const DECISION_TAKES =
  `The body is {"decision": one of ${DECISIONS.join(', ')}}, and may have a "person", and with ` +
  'approve the "number" that was picked.';

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
  const decide = async (promptId: string, scope: string, body: Static<typeof DecisionBody>) => {
    const prompt = body.number === undefined ? null : await prompts.byId(promptId, scope);
    const decision = { promptId, scope, decision: decisionOf(body, prompt), personId: body.person };
    const result = await prompts.decide(decision);
    if (!result.ok) throw new ControlError(REFUSALS[result.reason]);
    recordDecision(options, result.prompt, decision);
    return { data: decisionRow(result.prompt, engine.stateOf(result.prompt)) };
  };
  app.post(
    '/prompts/:id/decision',
    { schema, config: { takes: DECISION_TAKES, refuses: Object.values(REFUSALS) } },
    (request) => decide(request.params.id, scopeOfCaller(request), request.body),
  );
}

/** Approval with another number than the one shown is `wrong_number`. @throws ControlError */
function decisionOf(
  { decision, number }: Static<typeof DecisionBody>,
  prompt: Prompt | null,
): Decision {
  if (number === undefined) return decision;
  const digits = typedDigits(number);
  if (digits === null || decision !== 'approve') {
    const message = digits === null ? 'is no number' : 'goes with the decision approve';
    throw new ControlError('validation.failed', { faults: [`/number: ${message}`] });
  }
  const isRight = prompt?.kind !== 'push' || digits === prompt.bindingCode;
  return isRight ? decision : 'wrong_number';
}
