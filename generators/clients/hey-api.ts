import type { CallsOf, Started } from '../test/calls.ts';
import { given } from './given.ts';
import {
  issueToken,
  listTokens,
  readStatus,
  readUser,
  revokeOwnToken,
  startAttempt,
} from './service';
import { createClient } from './service/client';
import { decidePrompt, listPrompts } from './simulator';
import { createClient as createSimulatorClient } from './simulator/client';

export const callsOf: CallsOf = (baseUrl, key) => {
  const simulator = createSimulatorClient({ baseUrl });
  /** The generated functions ask for a credential where the document names one. */
  const as = (credential: string) => ({
    client: createClient({ baseUrl, auth: () => credential }),
  });
  const path = ({ attempt_id }: Started) => ({ attempt_id });
  return {
    async start(national_id) {
      const body = national_id === null ? { locale: 'en' } : { national_id, locale: 'en' };
      const { data } = await startAttempt({ ...as(key), body });
      return given(data).data;
    },
    async statusAfterWait(started) {
      const { data } = await readStatus({
        ...as(started.attempt_token),
        path: path(started),
        query: { wait: 25 },
      });
      return given(data).data.status;
    },
    async approve({ attempt_id: request_id }) {
      const { data } = await listPrompts({ client: simulator, query: { request_id } });
      for (const { id } of given(data).data) {
        const body = { decision: 'approve' } as const;
        given((await decidePrompt({ client: simulator, path: { id }, body })).data);
      }
    },
    async redeem(started, completion_code) {
      const code = completion_code === null ? {} : { completion_code };
      const { data } = await issueToken({
        ...as(key),
        path: path(started),
        headers: { 'Idempotency-Key': `of-attempt-${started.attempt_id}` },
        body: { attempt_token: started.attempt_token, device_name: 'Test', ...code },
      });
      return given(data).data;
    },
    async userOf(token) {
      return given((await readUser(as(token))).data).data;
    },
    async countDevices(token, limit) {
      return given((await listTokens({ ...as(token), query: { limit } })).data).data.length;
    },
    async signOut(token) {
      const { response } = await revokeOwnToken(as(token));
      if (response?.status !== 204) throw new Error('the call was refused');
    },
  };
};
