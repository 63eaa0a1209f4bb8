import createClient from 'openapi-fetch';
import type { CallsOf, Started } from '../test/calls.ts';
import { given } from './given.ts';
import type { paths as SimulatorPaths } from './simulator.ts';
import type { paths } from './service.ts';

export const callsOf: CallsOf = (baseUrl, key) => {
  const service = createClient<paths>({ baseUrl });
  const simulator = createClient<SimulatorPaths>({ baseUrl });
  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
  const path = ({ attempt_id }: Started) => ({ attempt_id });
  return {
    async start(national_id) {
      const body = national_id === null ? { locale: 'en' } : { national_id, locale: 'en' };
      const { data } = await service.POST('/api/v1/start', { body, ...bearer(key) });
      return given(data).data;
    },
    async statusAfterWait(started) {
      const { data } = await service.GET('/api/v1/status/{attempt_id}', {
        params: { path: path(started), query: { wait: 25 } },
        headers: { 'X-Provider-Attempt-Token': started.attempt_token },
      });
      return given(data).data.status;
    },
    async approve({ attempt_id: request_id }) {
      const { data } = await simulator.GET('/simulator/prompts', {
        params: { query: { request_id } },
      });
      for (const { id } of given(data).data) {
        const decided = await simulator.POST('/simulator/prompts/{id}/decision', {
          params: { path: { id } },
          body: { decision: 'approve' },
        });
        given(decided.data);
      }
    },
    async redeem(started, completion_code) {
      const code = completion_code === null ? {} : { completion_code };
      const { data } = await service.POST('/api/v1/token/{attempt_id}', {
        params: {
          path: path(started),
          header: { 'Idempotency-Key': `of-attempt-${started.attempt_id}` },
        },
        body: { attempt_token: started.attempt_token, device_name: 'Test', ...code },
        ...bearer(key),
      });
      return given(data).data;
    },
    async userOf(token) {
      const { data } = await service.GET('/api/v1/user', bearer(token));
      return given(data).data;
    },
    async countDevices(token, limit) {
      const { data } = await service.GET('/api/v1/tokens', {
        params: { query: { limit } },
        ...bearer(token),
      });
      return given(data).data.length;
    },
    async signOut(token) {
      const { response } = await service.DELETE('/api/v1/token', bearer(token));
      if (response.status !== 204) throw new Error('the call was refused');
    },
  };
};
