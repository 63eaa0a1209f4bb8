import { page } from '../page.ts';
import { ControlError } from '@miftah/contract/control-client';

/** What the service has answered to a start. */
export type Started =
  | { readonly is: 'started'; readonly attemptId: string }
  /** Only applications with a key may start sign-ins here. */
  | { readonly is: 'closed' }
  | { readonly is: 'refused'; readonly code: string; readonly message: string };

type Answer = {
  readonly data?: { readonly attempt_id?: string; readonly attempt_token?: string };
  readonly code?: string;
  readonly message?: string;
};

/** Set by the first answer: more of them would count as wrong keys. */
let isClosed = page.base === null;

/**
 * Starts a sign-in by phone at the service of this origin, in the scope of the page, as an
 * application without a key.
 * @param outcome as in `X-Simulate`
 * @throws ControlError when there is no answer
 */
export async function startByPhone(nationalId: string, outcome: string): Promise<Started> {
  if (isClosed) return { is: 'closed' };
  const answer = await fetch(`${String(page.base)}/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-simulate': outcome },
    body: JSON.stringify({ locale: page.locale, national_id: nationalId }),
  }).catch(() => null);
  if (answer === null) throw new ControlError('POST /start', null, {});
  isClosed = answer.status === 401 || answer.status === 403;
  if (isClosed) return { is: 'closed' };
  const { data, code = String(answer.status), message = '' } = (await answer.json()) as Answer;
  const { attempt_id: attemptId, attempt_token: token = '' } = data ?? {};
  if (attemptId !== undefined) void waitFor(attemptId, token);
  return attemptId === undefined ? { is: 'refused', code, message } : { is: 'started', attemptId };
}

/** At most so many long polls, which last longer than an attempt. */
const MOST_WAITS = 16;

/** Asks for the end as an application would: the service looks at the outcome when it is asked. */
async function waitFor(attemptId: string, token: string): Promise<void> {
  for (let count = 0; count < MOST_WAITS; count += 1) {
    const answer = await fetch(`${String(page.base)}/status/${attemptId}?wait=25`, {
      headers: { 'x-provider-attempt-token': token },
    }).catch(() => null);
    if (answer === null || !answer.ok) return;
    const { data } = (await answer.json()) as { data: { status?: string } };
    if (data.status !== 'pending') return;
  }
}
