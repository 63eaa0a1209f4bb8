import { expect, test } from 'vitest';
import { call, every, LONG_AFTER, T0, timeLine } from '../../test/support/time-line.ts';
import { coach } from './coach.ts';
import {
  NO_OPENID_TOKENS,
  NO_USERINFO,
  OPENID_CODE_TWICE,
  OPENID_GETS_LESS,
  OPENID_POLLS_TOO_FAST,
  OPENID_REFRESH_TWICE,
} from './openid.ts';

type Sent = Parameters<typeof call>[2];

const CIBA = 'urn:openid:params:grant-type:ciba';
const HOME = 'https://app.example.com/cb';

const asked = (sent: Sent = {}) => call(0, 'openidAuthorize', { status: 303, ...sent });
const back = (at: number, query = 'code=a') =>
  call(at, 'openidReturn', { status: 303, answerHeaders: { location: `${HOME}?${query}` } });
const redeemed = (at: number, scope = 'openid') =>
  call(at, 'openidToken', {
    body: { grant_type: 'authorization_code' },
    answer: { access_token: 'x', scope },
  });
const refused = (at: number, error: string, grant_type = 'authorization_code') =>
  call(at, 'openidToken', { status: 400, body: { grant_type }, answer: { error } });
const pushed = () => call(0, 'openidBackchannel', { answer: { auth_req_id: 'x', interval: 5 } });
const pending = (at: number) => refused(at, 'authorization_pending', CIBA);

const WHOLE = [asked(), back(9000), redeemed(9100, 'openid profile'), call(9200, 'openidUserinfo')];

test('a careful client is told nothing', () => {
  const later = { state: 'redeemed', now: LONG_AFTER };
  expect(coach(timeLine(WHOLE, later))).toEqual([]);
  const polls = every(5000, 12, pending);
  expect(coach(timeLine([pushed(), ...polls, redeemed(62_000)], later))).toEqual([]);
  expect(coach(timeLine([asked(), back(9000, 'error=access_denied')], later))).toEqual([]);
});

test('a code that nobody redeems is told of when it has expired', () => {
  const line = [asked(), back(9000)];
  const at = (now: number) => NO_OPENID_TOKENS.check(timeLine(line, { now: T0 + now }));
  expect([at(60_000), at(70_000)]).toEqual([null, [2]]);
  expect(NO_OPENID_TOKENS.check(timeLine([...line, refused(9500, 'invalid_grant')]))).toBeNull();
});

test('a push that was approved, and of which nobody asks any more, is told of', () => {
  const line = [pushed(), pending(5000)];
  const end = (endedAt: number | null, state = 'authenticated') =>
    NO_OPENID_TOKENS.check(timeLine(line, { state, endedAt, now: LONG_AFTER }));
  expect(end(T0 + 7000)).toEqual([1]);
  // It has asked since; or the person has refused, which a client may learn by giving up.
  expect(end(T0 + 1000)).toBeNull();
  expect([end(null), end(T0 + 7000, 'rejected')]).toEqual([null, null]);
});

test('a code that is sent again after it was redeemed is told of', () => {
  const twice = (...more: readonly ReturnType<typeof refused>[]) =>
    OPENID_CODE_TWICE.check(timeLine([...WHOLE, ...more]));
  expect(twice(refused(9300, 'invalid_grant'))).toEqual([5]);
  expect(twice(refused(9300, 'invalid_client'))).toBeNull();
  expect(twice(refused(9300, 'invalid_grant', 'refresh_token'))).toBeNull();
  // The wrong verifier, and then the right one.
  const wrongFirst = [asked(), back(9000), refused(9100, 'invalid_grant'), redeemed(9200)];
  expect(OPENID_CODE_TWICE.check(timeLine(wrongFirst))).toBeNull();
});

const silently = (at: number) =>
  call(at, 'openidAuthorize', { status: 303, answerHeaders: { location: `${HOME}?code=b` } });

test('a code that a session gave is told of when nobody redeems it, and not for one sent twice', () => {
  const line = [...WHOLE, silently(20_000)];
  const at = (now: number) => NO_OPENID_TOKENS.check(timeLine(line, { now: T0 + now }));
  expect([at(70_000), at(85_000)]).toEqual([null, [5]]);
  // The wrong verifier of the second code, the right one, and that code once more.
  const wrong = [...line, refused(20_100, 'invalid_grant')];
  expect(OPENID_CODE_TWICE.check(timeLine(wrong))).toBeNull();
  const again = [...line, redeemed(20_100), refused(20_200, 'invalid_grant')];
  expect(OPENID_CODE_TWICE.check(timeLine(again))).toEqual([7]);
});

const fast = (gap: number, times = 6) =>
  OPENID_POLLS_TOO_FAST.check(timeLine([pushed(), ...every(gap, times, pending)]));

test('six polls of a push with less than 3.5 seconds between them are too fast', () => {
  expect(fast(1000)).toEqual([2, 3, 4, 5, 6, 7]);
  expect([fast(5000, 30), fast(4000, 30), fast(1000, 5), fast(0)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

test.each(['openid profile', 'openid email', 'openid national_id', 'openid birthdate'])(
  'that nobody has asked for the claims of %s is told of after two minutes',
  (scope) => {
    const later = (now: number, ...more: readonly ReturnType<typeof call>[]) =>
      NO_USERINFO.check(timeLine([asked(), redeemed(9100, scope), ...more], { now: T0 + now }));
    expect([later(100_000), later(130_000)]).toEqual([null, [2]]);
    expect(later(130_000, call(9200, 'openidUserinfo', { status: 401 }))).toBeNull();
  },
);

const unasked = (request: Sent, scope: string) =>
  NO_USERINFO.check(timeLine([asked(request), redeemed(9100, scope)], { now: LONG_AFTER }));

test('no claims are missing where there are none, or the request has put them into the ID token', () => {
  expect(unasked({}, 'openid offline_access')).toBeNull();
  expect(unasked({ path: '/openid/authorize?claims=%7B%7D' }, 'openid profile')).toBeNull();
  expect(unasked({ body: { claims: '{}' } }, 'openid profile')).toBeNull();
  expect(unasked({}, 'openid profile')).toEqual([2]);
});

const refreshed = (error_description: string) =>
  call(9300, 'openidToken', {
    status: 400,
    body: { grant_type: 'refresh_token' },
    answer: { error: 'invalid_grant', error_description },
  });

const twiceBy = (text: string) => OPENID_REFRESH_TWICE.check(timeLine([...WHOLE, refreshed(text)]));

test('a refresh token that is sent again is told of, and not one that has ended', () => {
  expect(twiceBy('grant request is invalid: refresh token already used; send')).toEqual([5]);
  expect(twiceBy('grant request is invalid: grant not found')).toBeNull();
});

const less = (request: Sent, scope: string, answer: Record<string, unknown> = {}) =>
  OPENID_GETS_LESS.check(
    timeLine([asked(request), redeemed(9100, scope), call(9200, 'openidUserinfo', { answer })]),
  );

test('offline_access that is asked for in vain is told of', () => {
  const body = { scope: 'openid offline_access' };
  expect(less({ body }, 'openid')).toEqual([2]);
  expect(less({ body }, 'openid offline_access')).toBeNull();
  expect(less({}, 'openid')).toBeNull();
});

test('a claim that a request insists on and does not get is told of', () => {
  const claims = JSON.stringify({ userinfo: { name: { essential: true }, email: null } });
  expect(less({ body: { claims } }, 'openid', { sub: 'x' })).toEqual([3]);
  expect(less({ body: { claims } }, 'openid', { sub: 'x', name: 'y' })).toBeNull();
  const path = `/openid/authorize?claims=${encodeURIComponent(claims)}`;
  expect(less({ path }, 'openid', {})).toEqual([3]);
});
