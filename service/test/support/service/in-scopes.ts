import { AMAL, type Headers, type Started } from './login.ts';
import type { Answer, TestService } from './test-service.ts';

/** Headers of a caller in this scope. */
export const inScope = (scope: string): Headers => ({ 'x-miftah-scope': scope });

interface Call {
  readonly payload?: object;
}

interface Controlled {
  readonly status: number;
  readonly body: { readonly data: unknown; readonly code?: string };
}

/** What tests of scopes do with a service. The headers of each call name its scope. */
export function callsOf(service: () => TestService) {
  const phone = (headers: Headers, nationalId = AMAL): Promise<Answer> =>
    service().post('/start', { national_id: nationalId, locale: 'en' }, headers);

  /** A call of the control API. */
  async function control(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    headers: Headers,
    sent: Call = {},
  ): Promise<Controlled> {
    const url = `/simulator${path}`;
    const answer = await service().app.inject({ method, url, headers, ...sent });
    return { status: answer.statusCode, body: answer.json() };
  }

  async function idsOf(path: string, headers: Headers): Promise<readonly string[]> {
    const { body } = await control('GET', path, headers);
    return (body.data as { id: string }[]).map(({ id }) => id);
  }

  /** A row of the people file for somebody new. */
  async function newcomer(id: string, nationalId: string): Promise<object> {
    const { body } = await control('GET', '/people/faisal', {});
    return { ...(body.data as object), id, national_id: nationalId, default: false };
  }

  const approvePrompt = (id: string, headers: Headers) =>
    control('POST', `/prompts/${id}/decision`, headers, { payload: { decision: 'approve' } });

  /** In simulator mode a prompt has the id of its attempt. */
  const approve = (attempt: Started, headers: Headers) =>
    approvePrompt(attempt.attempt_id, headers);

  return { phone, control, idsOf, newcomer, approve, approvePrompt };
}
