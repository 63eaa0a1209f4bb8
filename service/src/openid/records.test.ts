import { InvalidClientAuth, InvalidRequest } from 'oidc-provider/lib/helpers/errors.js';
import { expect, it } from 'vitest';
import type { Clients } from '../account/clients.port.ts';
import type { OpenidName, OpenidRecord, OpenidRecords } from '../store/ports/store.port.ts';
import { BACKCHANNEL_REQUEST, lockName, recordsOf } from './records.ts';

/** The records of one model, and what was written of them. */
function opened(model: string) {
  const written: OpenidRecord[] = [];
  const consumed = new Set<string>();
  const store = {
    putOpenid: async (record: OpenidRecord) => written.push(record) > 0,
    async consumeOpenid({ id }: OpenidName) {
      const isFirst = !consumed.has(id);
      consumed.add(id);
      return isFirst;
    },
  } as unknown as OpenidRecords;
  const clients = { find: () => null } as unknown as Clients;
  const clock = { now: () => 0 };
  const records = recordsOf({
    store,
    clients,
    clock,
    sessions: 'Session',
    tokenLifetimeMs: 60_000,
  })(model);
  const put = (payload: object) => records.upsert('id', { ...payload }, 60);
  return { put, written };
}

it('the name of a lock does not tell the id that it is of', () => {
  const id = 'p1oSbWXGXLkHTHBq0Ge5pVJpNbMV6nPgvpZ9xqZVJ0u';
  expect(lockName(id)).toBe(lockName(id));
  expect(lockName(id)).not.toContain(id.slice(0, 8));
  expect(lockName(`${id}a`)).not.toBe(lockName(id));
});

it('an operator ends what a client has in every scope of a simulation', async () => {
  const { put, written } = opened('Grant');
  for (const clientId of ['portal', 'portal@worker-1']) await put({ clientId });
  await put({ params: { client_id: 'portal@worker-1' } });
  expect(written.map(({ client }) => client)).toEqual(['portal', 'portal', 'portal']);
});

it('a request that would become too long when its person approves is refused before', async () => {
  const { put, written } = opened(BACKCHANNEL_REQUEST);
  const request = { clientId: 'portal', claims: '' };
  const claims = 'x'.repeat(16 * 1024 - JSON.stringify(request).length);
  await expect(put({ ...request, claims })).rejects.toThrow(InvalidRequest);
  const asked = { ...request, claims: claims.slice(512) };
  const approved = { acr: 'https://service.example.test/assurance/3', amr: ['mca'], authTime: 1e9 };
  const more = { grantId: 'g'.repeat(43), accountId: 's'.repeat(22), ...approved };
  await put(asked);
  await put({ ...asked, ...more });
  expect(written).toHaveLength(2);
});

it('of assertions that are used at once, all found new by the library, one is the first', async () => {
  const { put } = opened('ReplayDetection');
  const used = await Promise.allSettled([put({}), put({}), put({})]);
  expect(used.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  await expect(put({})).rejects.toThrow(InvalidClientAuth);
});
