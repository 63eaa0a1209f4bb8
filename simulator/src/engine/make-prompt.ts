import { requestedOutcome } from './outcome-of.ts';
import type { Outcome } from './outcomes.ts';
import type { Person } from './person.ts';
import { planOf, type PushPrompt, type RedirectPrompt } from './prompts.ts';
import type { PushPromptRequest, RedirectPromptRequest } from './requests.ts';
import type { Asked } from './signers.ts';

const UNTOUCHED = { ignored: false, decided: null } as const;

export function makePush(
  ids: Pick<PushPrompt, 'id' | 'transactionId'>,
  request: PushPromptRequest,
  asked: Asked,
): PushPrompt {
  const { requestId, locale, service, createdAt, expiresAt, nationalId, bindingCode } = request;
  const { scope, chosen, outcome, afterMs } = requestedOutcome(request);
  const signer = withLevelOf(chosen, asked.signer);
  return {
    kind: 'push',
    ...ids,
    requestId,
    scope,
    locale,
    service,
    nationalId,
    isOwned: asked.isOwner,
    bindingCode,
    createdAt,
    expiresAt,
    signer,
    chosen,
    plan: planOf(outcome, afterMs, { createdAt, expiresAt, signer }),
    ...UNTOUCHED,
  };
}

/** Anybody may use a sign-in page, so the default person is preselected. */
export function makeRedirect(
  id: string,
  request: RedirectPromptRequest,
  session: RedirectPrompt['session'],
  asked: Asked,
): RedirectPrompt {
  const { requestId, locale, service, createdAt, expiresAt } = request;
  const { scope, chosen, afterMs } = requestedOutcome({ scenario: request.scenario ?? null });
  const signer = withLevelOf(chosen, asked.signer);
  return {
    kind: 'redirect',
    id,
    requestId,
    scope,
    locale,
    service,
    createdAt,
    expiresAt,
    session,
    exchanged: false,
    signer,
    chosen,
    plan: planOf(chosen, afterMs, { createdAt, expiresAt, signer }),
    ...UNTOUCHED,
  };
}

/** A chosen outcome with a level of assurance gives it to whoever the prompt is for. */
function withLevelOf(chosen: Outcome | null, person: Person): Person {
  const assuranceLevel = chosen?.assuranceLevel;
  return assuranceLevel === undefined ? person : { ...person, assuranceLevel };
}
