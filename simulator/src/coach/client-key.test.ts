import { expect, test } from 'vitest';
import { call, timeLine } from '../../test/support/time-line.ts';
import { KEY_OF_NOBODY, NO_CLIENT_KEY, OTHER_CLIENT_KEY } from './client-key.ts';

const TOKEN = 'the-attempt-token';
const begun = call(0, 'startAttempt', { answer: { data: { attempt_token: TOKEN } } });
const refused = { status: 404, answer: { code: 'attempt.not_found' } };
const keyed = { headers: { authorization: 'Bearer mfk_1' } };
const exchange = (sent: Parameters<typeof call>[2], attempt_token = TOKEN) =>
  call(2000, 'issueToken', { body: { attempt_token }, ...refused, ...sent });
const checked = (...line: Parameters<typeof timeLine>[0]) =>
  [NO_CLIENT_KEY, OTHER_CLIENT_KEY].map((rule) => rule.check(timeLine(line)));

test('an exchange without a key, whose attempt is hidden from it, is shown', () => {
  expect(checked(begun, exchange({}))).toEqual([[2], null]);
});

test('one with the key of another client is shown as that', () => {
  expect(checked(begun, exchange(keyed))).toEqual([null, [2]]);
});

test('so is a cancel, whose token is in a header', () => {
  const headers = { 'x-provider-attempt-token': TOKEN };
  const cancel = call(2000, 'cancelAttempt', { headers, ...refused });
  expect(checked(begun, cancel)).toEqual([[2], null]);
});

test('nothing is said of another token, of another answer, and without the start', () => {
  const pending = { status: 409, answer: { code: 'attempt.pending' } };
  expect(checked(begun, exchange({}, 'another'), exchange(pending))).toEqual([null, null]);
  expect(checked(exchange({}))).toEqual([null, null]);
});

const isKey = (key: string) => key === 'mfk_1';
const startWith = (headers: Record<string, string>, status = 201) =>
  KEY_OF_NOBODY.check(timeLine([call(0, 'startAttempt', { headers, status })], { isKey }));

test.each(['Bearer mfk_2', 'mfk_1', 'Basic bWZrXzE=', 'Bearer'])(
  'a start that was carried out in spite of the key of nobody is shown: %s',
  (authorization) => {
    expect(startWith({ authorization })).toEqual([1]);
  },
);

test('nothing is said of a known key, of none, and of a refusal', () => {
  expect(startWith({ authorization: 'bearer mfk_1' })).toBeNull();
  expect(startWith({})).toBeNull();
  expect(startWith({ authorization: 'Bearer mfk_2' }, 401)).toBeNull();
});
