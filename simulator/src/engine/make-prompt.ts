import type { Directory } from './directory.ts';
import { outcomeFor } from './outcomes.ts';
import { planOf, type PushPrompt, type RedirectPrompt } from './prompts.ts';
import type { PushPromptRequest, RedirectPromptRequest } from './requests.ts';
import { scopeOf } from './scopes.ts';

const UNTOUCHED = { ignored: false, decided: null } as const;

export function makePush(
  ids: Pick<PushPrompt, 'id' | 'transactionId'>,
  request: PushPromptRequest,
  directory: Directory,
): PushPrompt {
  const { requestId, locale, service, createdAt, expiresAt, nationalId, bindingCode } = request;
  const signer = directory.signerFor(nationalId);
  return {
    kind: 'push',
    ...ids,
    requestId,
    scope: scopeOf(request),
    locale,
    service,
    nationalId,
    bindingCode,
    createdAt,
    expiresAt,
    signer,
    plan: planOf(outcomeFor(nationalId), { createdAt, expiresAt, signer }),
    ...UNTOUCHED,
  };
}

/**
 * Anybody may use a sign-in page, so it has no planned outcome, and the default person is
 * preselected.
 */
export function makeRedirect(
  id: string,
  request: RedirectPromptRequest,
  session: RedirectPrompt['session'],
  directory: Directory,
): RedirectPrompt {
  const { requestId, locale, service, createdAt, expiresAt } = request;
  return {
    kind: 'redirect',
    id,
    requestId,
    scope: scopeOf(request),
    locale,
    service,
    createdAt,
    expiresAt,
    session,
    exchanged: false,
    signer: directory.signerFor(null),
    plan: null,
    ...UNTOUCHED,
  };
}
