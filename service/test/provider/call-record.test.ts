import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCallRecord, type RecordedCall } from '../../src/provider/call/call-record.ts';
import { REDACTED } from '../../src/attempt/provider-call.ts';
import type { JsonValue } from '../../src/provider/strict-json.ts';
import { json, openAreaB, record, route, text } from '../support/provider/area-b.ts';
import {
  NATIONAL_ID,
  openProvider,
  ORDER,
  refusalOf,
  REQUEST_ID,
  TRANSACTION_ID,
} from '../support/provider/provider-under-test.ts';
import { NONCE, STATE } from '../support/provider/session-answer.ts';
import { Forge } from '../support/provider/token-forge.ts';

/** Values that must be replaced, in every form in which the provider or we write them. */
const CANARIES = [
  NATIONAL_ID,
  Number(NATIONAL_ID),
  TRANSACTION_ID,
  STATE,
  NONCE,
  'فيصل التجريبي',
  'Faisal Altajribi',
  'eyJhbGciOiJSUzI1NiJ9.eyJuaW4iOiIxMDAwMDAyMjAxIn0.c2lnbmF0dXJl',
  'https://authorize.example.test/authservice/authorize?state=canary',
  'canary@example.test',
] as const;

/** Members that are shown if they have the expected form, and other members. */
const NAMES = (
  'status timestamp message code reference id requestId service transId random token state url ' +
  'nationalId keys name __proto__'
).split(' ');

const canary = fc.constantFrom(...CANARIES);
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    canary,
    canary.map((one) => `x ${one} x`),
    fc.constantFrom('WAITING', '422', '422-016-023', null),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), canary.map(String)), tie('value'), {
      maxKeys: 4,
    }),
  ),
}));
const anyAnswer = fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), canary.map(String)), anyValue, {
  maxKeys: 8,
});

const CALL: RecordedCall = {
  at: 1000,
  endedAt: 1042,
  operation: 'push',
  requestId: REQUEST_ID,
  query: { local: 'ar', requestId: REQUEST_ID },
  body: { nationalId: NATIONAL_ID, service: 'Login' },
  reply: null,
  fault: null,
  refusal: null,
};

function replied(value: JsonValue, status = 200): RecordedCall {
  return { ...CALL, reply: { status, body: { kind: 'json', value } } };
}

function leaksIn(call: RecordedCall): readonly (string | number)[] {
  const written = JSON.stringify(makeCallRecord(call));
  return CANARIES.filter((one) => written.includes(String(one)));
}

describe('no secret and no identity value survives', () => {
  it('in an answer, wherever the provider puts it', () => {
    fc.assert(
      fc.property(anyAnswer, fc.constantFrom(200, 422, 400), (answer, status) => {
        expect(leaksIn(replied(answer, status))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('in a body of ours, whatever the operation', () => {
    fc.assert(
      fc.property(anyAnswer, (body) => {
        expect(leaksIn({ ...CALL, body })).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('in a text of a gateway, or in a query', () => {
    fc.assert(
      fc.property(canary, fc.string(), (one, around) => {
        const reply = { status: 403, body: { kind: 'text', text: `${around}${one}` } } as const;
        const query = { locale: String(one), local: `ar${one}`, other: String(one) };
        expect(leaksIn({ ...CALL, reply, query })).toEqual([]);
      }),
    );
  });

  it('in the reference, should it be the very number that was asked for', () => {
    const answer = { status: '422', code: '422-016-023', reference: Number(NATIONAL_ID) };
    expect(leaksIn(replied(answer, 422))).toEqual([]);
  });
});

it('shows what an operator needs of an error record', async () => {
  const areaB = await openAreaB(record('422-016-023', 99_001));
  const { provider, records, clock } = openProvider(areaB.url);
  await refusalOf(provider.requestPush(ORDER));
  expect(records).toEqual([
    {
      at: clock.now(),
      operation: 'push',
      requestId: REQUEST_ID,
      query: { local: 'ar', requestId: REQUEST_ID },
      body: { nationalId: REDACTED, service: 'Login' },
      status: 422,
      answer: {
        status: '422',
        timestamp: null,
        message: "Couldn't find the requested record.",
        code: '422-016-023',
        reference: 99_001,
      },
      reference: 99_001,
      refusal: 'provider.record_not_found',
      durationMs: 0,
    },
  ]);
});

it('shows which of its two faults a gateway named, and no other text', async () => {
  const areaB = await openAreaB(text('No Mapping Rule matched', 404));
  const { provider, records } = openProvider(areaB.url);
  const refusal = await refusalOf(provider.requestPush(ORDER));
  expect(String(refusal.cause)).toContain('path not known');
  areaB.act(text('Faisal is not allowed', 403));
  await refusalOf(provider.requestPush(ORDER));
  expect(records.map(({ answer }) => answer)).toEqual([
    { text: 'No Mapping Rule matched' },
    REDACTED,
  ]);
});

it('is made for every operation, with nothing of what it carried', async () => {
  const areaB = await openAreaB(
    route({
      '/api/v1/mfa/request': json({ transId: TRANSACTION_ID, random: '07' }),
      '/api/v1/mfa/request/status': json({ status: 'WAITING' }),
      '/api/v2/oidc/jwt': json({ state: STATE, token: 'a.b.c' }),
      '/api/v1/mfa/jwk': json(new Forge(2048).set),
    }),
  );
  const { provider, records } = openProvider(areaB.url);
  const { bindingCode, transactionId } = await provider.requestPush(ORDER);
  await provider.pushStatus({ ...ORDER, transactionId, bindingCode });
  const expected = { requestId: REQUEST_ID, nonce: NONCE, createdAt: 0, userAddress: null };
  await refusalOf(provider.exchange(STATE, expected));
  expect(records.map(({ operation, body, answer }) => ({ operation, body, answer }))).toEqual([
    {
      operation: 'push',
      body: { nationalId: REDACTED, service: 'Login' },
      answer: { transId: REDACTED, random: REDACTED },
    },
    {
      operation: 'pushStatus',
      body: { nationalId: REDACTED, transId: REDACTED, random: REDACTED },
      answer: { status: 'WAITING' },
    },
    { operation: 'keys', body: null, answer: { keys: REDACTED } },
    {
      operation: 'exchange',
      body: { state: REDACTED },
      answer: { state: REDACTED, token: REDACTED },
    },
  ]);
});
