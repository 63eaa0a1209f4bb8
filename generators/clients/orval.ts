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
      if (answer.status !== 200) throw new Error('the call was refused');
      return answer.data.data;
    },
    async statusAfterWait({ attempt_id, attempt_token }) {
      const headers = { 'X-Provider-Attempt-Token': attempt_token };
      const answer = await readStatus(attempt_id, { wait: 25 }, undefined, { headers });
      if (answer.status !== 200) throw new Error('the call was refused');
      return answer.data.data.status;
    },
    async approve({ attempt_id: request_id }) {
      const answer = await listPrompts({ request_id });
      if (answer.status !== 200) throw new Error('the call was refused');
      for (const { id } of answer.data.data) {
        const { status } = await decidePrompt(id, { decision: 'approve' });
        if (status !== 200) throw new Error('the call was refused');
      }
    },
    async redeem({ attempt_id, attempt_token }, completion_code) {
      const code = completion_code === null ? {} : { completion_code };
      const body = { attempt_token, device_name: 'Test', ...code };
      const headers = { 'Idempotency-Key': `of-attempt-${attempt_id}` };
      const answer = await issueToken(attempt_id, body, headers, bearer(key));
      if (answer.status !== 200) throw new Error('the call was refused');
      return answer.data.data;
    },
    async userOf(token) {
      const answer = await readUser(undefined, bearer(token));
      if (answer.status !== 200) throw new Error('the call was refused');
      return answer.data.data;
    },
    async countDevices(token, limit) {
      const answer = await listTokens({ limit }, undefined, bearer(token));
      if (answer.status !== 200) throw new Error('the call was refused');
      return answer.data.data.length;
    },
    async signOut(token) {
      const answer = await revokeOwnToken(undefined, bearer(token));
      if (answer.status !== 204) throw new Error('the call was refused');
    },
  };
};
