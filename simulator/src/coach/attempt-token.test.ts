import { expect, test } from 'vitest';
import { call, read, start, timeLine } from '../../test/support/time-line.ts';
import { NO_ATTEMPT_TOKEN, TOKEN_IN_ADDRESS } from './attempt-token.ts';

test.each(['attempt_token', 'token', 'X-Provider-Attempt-Token', 'access_token'])(
  'a query with %s has a secret in the address',
  (name) => {
    const path = `/api/v1/status/x?wait=25&${name}=[masked]`;
    expect(TOKEN_IN_ADDRESS.check(timeLine([start(), read(1000, 'pending', { path })]))).toEqual([
      2,
    ]);
  },
);

test('other members of a query are none', () => {
  const paths = ['/api/v1/status/x?wait=25', '/api/v1/callback?state=[masked]', '/api/v1/start'];
  const line = paths.map((path) => call(1000, 'readStatus', { path }));
  expect(TOKEN_IN_ADDRESS.check(timeLine(line))).toBeNull();
});

test('a status without the header was refused', () => {
  const missing = { status: 401, answer: '{"code":"attempt.token_missing"}' };
  const line = [start(), call(1000, 'readStatus', missing)];
  expect(NO_ATTEMPT_TOKEN.check(timeLine(line))).toEqual([2]);
});

test('one that was in the address instead is said once', () => {
  const missing = { status: 401, answer: '{"code":"attempt.token_missing"}' };
  const path = '/api/v1/status/x?attempt_token=[masked]';
  const line = timeLine([start(), call(1000, 'readStatus', { ...missing, path })]);
  expect(TOKEN_IN_ADDRESS.check(line)).toEqual([2]);
  expect(NO_ATTEMPT_TOKEN.check(line)).toBeNull();
});

test('a wrong token and other refusals are something else', () => {
  const other = { status: 404, answer: { code: 'attempt.not_found' } };
  const line = [start(), call(1000, 'readStatus', other), read(2000, 'pending')];
  expect(NO_ATTEMPT_TOKEN.check(timeLine(line))).toBeNull();
});
