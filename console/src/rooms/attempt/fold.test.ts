import { describe, expect, it } from 'vitest';
import type { Entry } from '@miftah/contract/control';
import { linesOf } from './fold.ts';

const message = { headers: {}, body: null };

function entry(number: number, name: string, answer: unknown = 'pending'): Entry {
  const exchange = {
    method: 'GET',
    path: `/${name}`,
    status: 200,
    code: null,
    duration_ms: 1,
    request: message,
    response: { headers: {}, body: answer },
  };
  return { number, at: '', side: 'area_a', name, exchange, act: null };
}

/** `s` is a status, `m` the provider's, `S` a status with another answer, `i` anything else. */
function lines(text: string, numbers: readonly number[] = []): string[] {
  const names: Record<string, string> = { s: 'readStatus', m: 'mfa_status', S: 'readStatus' };
  const entries = Array.from(text, (letter, index) =>
    entry(numbers[index] ?? index + 1, names[letter] ?? 'issueToken', letter),
  );
  return linesOf(entries).map((line) => {
    if (line.kind === 'gap') return `gap ${line.count}`;
    if (line.kind === 'entry') return String(line.entry.number);
    return `${line.entries.length / line.period} x ${line.period}`;
  });
}

describe('the lines of a time line', () => {
  it.each([
    ['i', ['1']],
    ['isi', ['1', '2', '3']],
    ['isssi', ['1', '3 x 1', '5']],
    ['ssSS', ['2 x 1', '2 x 1']],
    ['smsmsmS', ['3 x 2', '7']],
    ['smsms', ['2 x 2', '5']],
    ['ssmssmssm', ['2 x 1', '2 x 3', '9']],
    // Only polls are folded: every other call is one of its own.
    ['iii', ['1', '2', '3']],
  ])('of %s', (text, expected) => {
    expect(lines(text)).toEqual(expected);
  });

  it('are one for the answers of an OpenID client that asks too early', () => {
    const codes = ['authorization_pending', 'authorization_pending', 'slow_down', 'invalid_grant'];
    const entries = [...codes, 'invalid_grant'].map((code, index) => {
      const { exchange, ...rest } = entry(index + 1, 'openidToken', code);
      return { ...rest, exchange: exchange === null ? null : { ...exchange, status: 400, code } };
    });
    expect(linesOf(entries).map(({ kind }) => kind)).toEqual([
      'repeated',
      'entry',
      'entry',
      'entry',
    ]);
  });

  it('say what was not kept, and fold nothing over it', () => {
    expect(lines('ssss', [1, 2, 40, 41])).toEqual(['2 x 1', 'gap 37', '2 x 1']);
  });

  it('have no gap where an entry has ended later than those that began after it', () => {
    expect(lines('isi', [3, 1, 2])).toEqual(['3', '1', '2']);
    expect(lines('iiii', [1, 41, 2, 40])).toEqual(['1', '41', '2', 'gap 37', '40']);
  });

  it('hold no answer together that differs in one member', () => {
    const answers = [{ status: 'pending' }, { status: 'pending' }, { status: 'authenticated' }];
    const entries = answers.map((body, index) => entry(index + 1, 'readStatus', body));
    expect(linesOf(entries).map(({ kind }) => kind)).toEqual(['repeated', 'entry']);
  });
});
