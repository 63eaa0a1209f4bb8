import { OUTCOMES } from '@miftah/simulator/engine';
import { describe, expect, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { wordingOf } from '../../src/errors/wording.ts';
import { share } from '../support/at-end.ts';
import { expectProblem } from '../support/service/login.ts';
import { PUSH_ENDS, REDIRECT_ENDS, type OutcomeEnd } from '../support/service/outcome-ends.ts';
import { CASES, tellStories, type Case, type Told } from '../support/service/outcome-stories.ts';
import { openTestService } from '../support/service/test-service.ts';

/**
 * Every outcome, chosen by the identity, by X-Simulate and by the queue, through area A: in plain
 * simulator mode, and in strict mode, where the live driver calls the simulator.
 */

const MODES = [
  { mode: 'simulator mode', settings: {}, pushMs: ATTEMPT_LIFETIME_MS, outage: '1' },
  {
    mode: 'strict mode',
    settings: { STRICT: 'yes', PUBLIC_URL: 'http://localhost:3000' },
    pushMs: 60_000,
    outage: '5',
  },
] as const;

it('every outcome has an end here', () => {
  const keys = OUTCOMES.map(({ key }) => key);
  expect(Object.keys(PUSH_ENDS)).toEqual(keys);
  expect(Object.keys(REDIRECT_ENDS)).toEqual(keys.filter((key) => key in REDIRECT_ENDS));
});

describe.each(MODES)('in $mode', ({ settings, pushMs, outage }) => {
  const told = share(async (atEnd) => {
    const service = await openTestService({ settings: { RATE_LIMITS: 'off', ...settings }, atEnd });
    return tellStories({ service, pushMs });
  });

  it.each(CASES)('$key by $way, $flow', (one) => {
    const story = told().get(one);
    if (story === undefined) throw new Error('it has not been told');
    if ('start' in one.end) expectRefused(story, one.end, outage);
    else expectEnd(story, one, one.end);
  });
});

type Refused = Extract<OutcomeEnd, { start: unknown }>;

function expectRefused({ start }: Told, end: Refused, outage: string): void {
  expectProblem(start, end.start);
  const expected = { outage, active: '60', none: undefined }[end.retryAfter ?? 'none'];
  expect(start.headers['retry-after']).toBe(expected);
}

function expectEnd(story: Told, one: Case, end: Exclude<OutcomeEnd, Refused>): void {
  const { status, user, stay } = story;
  expect(status).toMatchObject({ status: end.status });
  if (end.status === 'failed') {
    expect(status).toMatchObject({ message: wordingOf(end.code, 'en').message });
  }
  if (one.flow === 'redirect') expectReturn(stay, end.status);
  if (end.status !== 'authenticated') return expect(user).toBeNull();
  const isOther = end.as === 'other';
  expect(user?.['national_id'] === one.nationalId).toBe(!isOther);
  expect(user?.['name'] === '').toBe(end.as === 'nameless');
  if (one.flow === 'redirect') expect(user?.['assurance_level'] === 1).toBe(end.as === 'lower');
}

/** Who signed in or refused is sent back to the application. */
function expectReturn(stay: Told['stay'], status: string): void {
  const back = stay?.kind === 'left' ? stay.url.searchParams : null;
  expect(back?.has('completion_code') ?? false).toBe(status === 'authenticated');
  if (status === 'rejected') expect(back?.get('error')).toBe('access_denied');
}
