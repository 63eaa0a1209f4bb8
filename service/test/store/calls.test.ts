import { expect, test } from 'vitest';
import { makeCallRecord } from '../../src/provider/call/call-record.ts';
import { sampleAttempt, START } from '../conformance/samples.ts';
import { openSqlite } from '../support/store/open-stores.ts';

test('S-90: what the driver makes of a call is what a store takes', async () => {
  const { store, dispose } = await openSqlite();
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  const record = makeCallRecord({
    at: START,
    endedAt: START + 7,
    operation: 'push',
    requestId: attempt.attemptId,
    query: { local: 'ar', requestId: attempt.attemptId },
    body: { nationalId: '1000000001', service: 'Login' },
    reply: {
      status: 200,
      body: { kind: 'json', value: { random: '42', transId: 'a transaction' } },
    },
    fault: null,
    refusal: null,
  });
  await store.recordCall(record);
  expect(await store.listCalls(attempt.attemptId)).toEqual([record]);
  expect(JSON.stringify(record)).not.toContain('1000000001');
  await dispose();
});
