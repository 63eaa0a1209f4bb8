import als from 'oidc-provider/lib/helpers/als.js';
import type { Context } from 'oidc-provider/lib/provider.js';
import { expect, it } from 'vitest';
import type { OpenidChange, OpenidRecord } from '../store/ports/store.port.ts';
import { hold, holdFirst, knownAs, makeHeld, takeHeld } from './held-changes.ts';

const recordOf = (model: string, body: string): OpenidRecord => ({
  model,
  id: 'one',
  body,
  grant: null,
  subject: null,
  client: null,
  attemptId: null,
  expiresAt: null,
});

/** As within a request that the library answers. */
function inRequest<Result>(work: () => Result): Result {
  const request = { oidc: { route: 'token' }, remove: () => undefined };
  return als.run(request as unknown as Context, work);
}

it('a record that is put again is put once, as it is last, in the place that it has', async () => {
  const made: OpenidChange[] = [];
  const store = {
    changeOpenid: async (changes: readonly OpenidChange[]) => {
      made.push(...changes);
      return changes.length;
    },
  };
  await inRequest(async () => {
    hold({ put: recordOf('AuthorizationCode', 'code') }, null);
    holdFirst({ put: recordOf('Grant', 'short') }, null);
    holdFirst({ put: recordOf('Grant', 'lasting') }, null);
    hold({ put: recordOf('AuthorizationCode', 'code again') }, null);
    expect(knownAs('Grant', 'one')?.body).toBe('lasting');
    await makeHeld(store);
  });
  expect(made).toEqual([
    { put: recordOf('Grant', 'lasting') },
    { put: recordOf('AuthorizationCode', 'code again') },
  ]);
});

it('of several changes none is taken as the one record that waits', () => {
  inRequest(() => {
    expect(() => takeHeld()).toThrow('0 changes are held');
    hold({ put: recordOf('Grant', 'first') }, null);
    hold({ put: recordOf('AuthorizationCode', 'second') }, null);
    expect(() => takeHeld()).toThrow('2 changes are held');
    expect(knownAs('AuthorizationCode', 'one')?.body).toBe('second');
  });
  inRequest(() => {
    const record = recordOf('BackchannelAuthenticationRequest', 'alone');
    hold({ put: record }, null);
    expect(takeHeld()).toBe(record);
    expect(() => takeHeld()).toThrow('0 changes are held');
  });
});
