import { expect, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../attempt/attempt.ts';
import { SECOND_MS } from '../../values/time.ts';
import { OpenAttempts } from './open-attempts.ts';

const START = 1_000_000 * SECOND_MS;

function setUp() {
  const expired = { oidc: 0, mfa: 0 };
  const open = new OpenAttempts((flow, count) => (expired[flow] += count));
  return { expired, open };
}

it('an attempt that has not ended is counted once, after its lifetime', () => {
  const { expired, open } = setUp();
  open.begin({ flow: 'mfa', createdAt: START });
  open.expireUntil(START + ATTEMPT_LIFETIME_MS);
  expect(expired).toEqual({ oidc: 0, mfa: 0 });
  for (let second = 1; second < 4; second += 1) {
    open.expireUntil(START + ATTEMPT_LIFETIME_MS + second * SECOND_MS);
  }
  expect(expired).toEqual({ oidc: 0, mfa: 1 });
});

it('one that has ended is not, also when its end is told twice or its start was missed', () => {
  const { expired, open } = setUp();
  const ended = { flow: 'oidc', createdAt: START } as const;
  open.end(ended);
  open.begin(ended);
  open.begin({ ...ended, createdAt: START + 999 });
  for (let times = 0; times < 3; times += 1) open.end(ended);
  open.begin({ ...ended, createdAt: START + SECOND_MS });
  open.expireUntil(START + 2 * ATTEMPT_LIFETIME_MS);
  expect(expired).toEqual({ oidc: 1, mfa: 0 });
});

it('starts alone count what has expired before them, so nothing piles up without a reader', () => {
  const { expired, open } = setUp();
  for (let second = 0; second < 1000; second += 1) {
    open.begin({ flow: 'mfa', createdAt: START + second * SECOND_MS });
  }
  expect(expired.mfa).toBe(1000 - ATTEMPT_LIFETIME_MS / SECOND_MS - 1);
});
