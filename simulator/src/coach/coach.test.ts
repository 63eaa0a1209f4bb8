import { expect, test } from 'vitest';
import { call, every, LONG_AFTER, read, start, timeLine } from '../../test/support/time-line.ts';
import { coach } from './coach.ts';
import { COACH_RULES } from './rules.ts';

const key = { headers: { 'idempotency-key': 'b0e8e4b8f1a34c51a9a2cc57e4b0f7a1' } };

test('the rules have keys of their own, and texts in both languages', () => {
  const keys = COACH_RULES.map((rule) => rule.key);
  expect(new Set(keys).size).toBe(keys.length);
  for (const { title, advice, says } of COACH_RULES) {
    for (const texts of [title, advice]) {
      expect(texts.ar).toMatch(/\p{Script=Arabic}/u);
      expect(texts.en).not.toMatch(/\p{Script=Arabic}/u);
    }
    expect(says).toMatch(/\.$/);
  }
});

/** Without them `?wait=25` is shown as `wait=25?` between Arabic words. */
test('the codes of an Arabic text stand between backticks', () => {
  for (const { key: rule, title, advice } of COACH_RULES) {
    for (const text of [title.ar, advice.ar, title.en, advice.en]) {
      expect(text.split('`').length % 2, rule).toBe(1);
    }
    const around = [title.ar, advice.ar].flatMap((text) =>
      text.split('`').filter((_, place) => place % 2 === 0),
    );
    expect(around.join(' ').replace('UUID', ''), rule).not.toMatch(/[A-Za-z?{}]/);
  }
});

test('a careful application is told nothing', () => {
  const line = [
    start(),
    ...every(2000, 5, (at) => read(at, 'pending')),
    read(12_000, 'authenticated'),
    call(12_100, 'issueToken', key),
  ];
  expect(coach(timeLine(line, { state: 'redeemed', now: LONG_AFTER }))).toEqual([]);
});

test('a careless one is told everything, with the places that show it', () => {
  const line = [
    start(),
    ...every(500, 30, (at) => read(at, 'pending')),
    call(20_000, 'issueToken'),
  ];
  const findings = coach(timeLine(line, { state: 'redeemed' }));
  expect(findings.map(({ rule }) => rule)).toEqual(['polls_too_fast', 'no_idempotency_key']);
  expect(findings[0]?.entries).toHaveLength(20);
  expect(findings[1]?.entries).toEqual([32]);
});

test('of an attempt without a time line nothing is said', () => {
  expect(coach(timeLine([], { state: 'expired', now: LONG_AFTER }))).toEqual([]);
});
