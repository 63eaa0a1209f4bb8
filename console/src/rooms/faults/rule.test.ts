import { expect, test } from 'vitest';
import { ruleFrom, withoutCounts } from './rule.ts';

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

test.each([
  [{ kind: 'status', status: '503' }, { status: 503 }],
  [{ kind: 'record', record: '422-016-023' }, { record: '422-016-023' }],
  [{ kind: 'latency', min: '50', max: '400' }, { latency_ms: { min: 50, max: 400 } }],
  [{ kind: 'latency', min: '50', max: '50' }, { latency_ms: 50 }],
  [{ kind: 'answer', answer: 'cut' }, { answer: 'cut' }],
])('the fields %o are one fault', (fields, fault) => {
  expect(ruleFrom(form({ operation: 'mfa_request', rate: '50', ...fields }))).toEqual({
    operation: 'mfa_request',
    rate: 0.5,
    ...fault,
  });
});

test('what is left out is not sent', () => {
  const fields = { operation: 'any', kind: 'status', status: '500', rate: '', seed: '', times: '' };
  expect(ruleFrom(form(fields))).toEqual({ operation: 'any', status: 500, rate: 1 });
  const chosen = ruleFrom(form({ ...fields, seed: '0', times: '3' }));
  expect(chosen).toMatchObject({ seed: 0, times: 3 });
});

test('a rule is sent again with its seed, and without its counts', () => {
  const rule = { operation: 'any', status: 500, rate: 1, seed: 7 } as const;
  expect(withoutCounts({ ...rule, times: null, seen: 4, hits: 2 })).toEqual(rule);
  expect(withoutCounts({ ...rule, times: 3, seen: 4, hits: 2 })).toEqual({ ...rule, times: 3 });
});
