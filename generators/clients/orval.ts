import type { CallsOf } from '../test/calls.ts';
import {
  issueToken,
  listTokens,
  readStatus,
  readUser,
  revokeOwnToken,
  startAttempt,
} from './service.ts';
import { decidePrompt, listPrompts } from './simulator.ts';

/** The addresses are in the generated functions. */
export const callsOf: CallsOf = (_, key) => {
  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
  return {
    async start(national_id) {
      const body = national_id === null ? { locale: 'en' } : { national_id, locale: 'en' };
      const answer = await startAttempt(body, undefined, bearer(key));
      expectStatus(answer, 200);
      return answer.data.data;
    },
    async statusAfterWait({ attempt_id, attempt_token }) {
      const headers = { 'X-Provider-Attempt-Token': attempt_token };
      const answer = await readStatus(attempt_id, { wait: 25 }, undefined, { headers });
      expectStatus(answer, 200);
      return answer.data.data.status;
    },
    async approve({ attempt_id: request_id }) {
      const answer = await listPrompts({ request_id });
      expectStatus(answer, 200);
      for (const { id } of answer.data.data) {
        expectStatus(await decidePrompt(id, { decision: 'approve' }), 200);
      }
    },
    async redeem({ attempt_id, attempt_token }, completion_code) {
      const code = completion_code === null ? {} : { completion_code };
      const body = { attempt_token, device_name: 'Test', ...code };
      const headers = { 'Idempotency-Key': `of-attempt-${attempt_id}` };
      const answer = await issueToken(attempt_id, body, headers, bearer(key));
      expectStatus(answer, 200);
      return answer.data.data;
    },
    async userOf(token) {
      const answer = await readUser(undefined, bearer(token));
      expectStatus(answer, 200);
      return answer.data.data;
    },
    async countDevices(token, limit) {
      const answer = await listTokens({ limit }, undefined, bearer(token));
      expectStatus(answer, 200);
      return answer.data.data.length;
    },
    async signOut(token) {
      const answer = await revokeOwnToken(undefined, bearer(token));
      expectStatus(answer, 204);
    },
  };
};

/** Tells the types too: the answers of other statuses have other members. */
function expectStatus<Answer extends { status: number }, Status extends Answer['status']>(
  answer: Answer,
  status: Status,
): asserts answer is Extract<Answer, { status: Status }> {
  if (answer.status !== status) throw new Error('the call was refused');
}
