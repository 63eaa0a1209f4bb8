import { parseList, serializeList } from 'structured-headers';
import { expect } from 'vitest';
import { SECOND_MS } from '../../../src/values/time.ts';

/** What an answer says of the limit that its request was counted in, read by a public parser. */
export interface ToldLimit {
  readonly policy: string;
  readonly quota: number;
  readonly windowMs: number;
  readonly remaining: number;
  readonly resetMs: number;
}

type Headers = Readonly<Record<string, unknown>>;

/** Of the IETF draft "RateLimit header fields for HTTP": a list of strings with whole numbers. */
function fieldOf(headers: Headers, name: string) {
  const text = String(headers[name]);
  const list = parseList(text);
  // In its canonical form, so that a reader with patterns of its own finds the same.
  expect(serializeList(list)).toBe(text.replaceAll('";', '";'));
  expect(list, text).toHaveLength(1);
  const [[policy, members] = ['', new Map()]] = list as [string, Map<string, unknown>][];
  const numberOf = (member: string) => {
    const value: unknown = members.get(member);
    expect(Number.isSafeInteger(value), text).toBe(true);
    return Number(value);
  };
  return { policy, numberOf };
}

/** All headers about limits, which have to agree. */
export function toldLimit(headers: Headers): ToldLimit {
  const now = fieldOf(headers, 'ratelimit');
  const always = fieldOf(headers, 'ratelimit-policy');
  expect(always.policy).toBe(now.policy);
  const told = {
    policy: now.policy,
    quota: always.numberOf('q'),
    windowMs: always.numberOf('w') * SECOND_MS,
    remaining: now.numberOf('r'),
    resetMs: now.numberOf('t') * SECOND_MS,
  };
  expect(told.remaining).toBeGreaterThanOrEqual(0);
  expect(told.remaining).toBeLessThanOrEqual(told.quota);
  expect(told.resetMs).toBeGreaterThan(0);
  expect(told.resetMs).toBeLessThanOrEqual(told.windowMs);
  expect([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([
    String(told.quota),
    String(told.remaining),
  ]);
  return told;
}

/** The names of the headers of an answer that say anything about limits, but for Retry-After. */
export const namesOfLimits = (headers: Headers) =>
  Object.keys(headers).filter((name) => /ratelimit/i.test(name));
