import { expect, test } from 'vitest';
import { call, start, timeLine } from '../../test/support/time-line.ts';
import type { Entry } from '../journal/entry.ts';
import { NO_COMPLETION_CODE, WRONG_COMPLETION_CODE } from './completion-code.ts';

const returned = (mark = '?') =>
  call(5000, 'callback', {
    status: 303,
    answerHeaders: {
      location: `http://app.test/return${mark}attempt_id=x&completion_code=[masked]`,
    },
  });
const exchange = (code?: string, sent: Parameters<typeof call>[2] = {}) =>
  call(6000, 'issueToken', { body: { attempt_token: 't', completion_code: code }, ...sent });
const refused = { status: 409, answer: { code: 'attempt.completion_required' } };

const missing = (entries: readonly Entry[], flow = 'oidc') =>
  NO_COMPLETION_CODE.check(timeLine([start(), ...entries], { flow }));
const wrong = (entries: readonly Entry[]) =>
  WRONG_COMPLETION_CODE.check(timeLine([start(), ...entries], { flow: 'oidc' }));

test('a page that redirects brings a code too', () => {
  const refresh = '0;url=http://app.test/return?attempt_id=x&completion_code=[masked]';
  const page = call(5000, 'callback', { status: 200, answerHeaders: { refresh } });
  expect(missing([page, exchange()])).toEqual([3]);
});

test.each(['?', '#'])('a code that the browser brought after a %s is not sent', (mark) => {
  expect(missing([returned(mark), exchange()])).toEqual([3]);
});

test('strict mode has refused the exchange without it', () => {
  expect(missing([exchange(undefined, refused)])).toEqual([2]);
});

test('with the code all is well', () => {
  expect(missing([returned(), exchange('c')])).toBeNull();
  expect(wrong([returned(), exchange('c')])).toBeNull();
});

test('nobody gave a code: by POST /callback, and by phone', () => {
  expect(missing([call(5000, 'completeRedirect'), exchange()])).toBeNull();
  expect(missing([exchange()], 'mfa')).toBeNull();
});

test('a code that is refused was wrong, or came too late', () => {
  expect(wrong([returned(), exchange('c', refused)])).toEqual([3]);
  expect(missing([returned(), exchange('c', refused)])).toBeNull();
});
