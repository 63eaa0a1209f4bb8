import { describe, expect, it } from 'vitest';
import type { Row } from '@miftah/contract/control';
import { countsOf, EVERYTHING, rowsLike } from './filter.ts';

const common = {
  scope: 'default',
  client: null,
  service: null,
  created_at: '',
  expires_at: '',
  entries: 0,
  source: 'own',
  planned: false,
  answered: false,
  person: null,
} as const;
const ROWS: readonly Row[] = [
  {
    ...common,
    id: '019A-1',
    flow: 'oidc',
    state: 'pending',
    reason: null,
    client: { ar: 'متجر الأمثلة', en: 'Example Shop' },
  },
  {
    ...common,
    id: '019a-2',
    flow: 'mfa',
    state: 'failed',
    reason: 'provider.mismatch',
    person: { id: 'faisal', ar: 'فيصل عمر', en: 'Faisal Omar' },
  },
  { ...common, id: '019a-3', flow: 'mfa', state: 'pending', reason: null, service: 'Login' },
];
const idsWith = (filter: Partial<typeof EVERYTHING>) =>
  rowsLike(
    ROWS,
    { ...EVERYTHING, ...filter },
    ({ state }) => (state === 'pending' ? 'بانتظار الردّ' : 'Not done'),
    new Map([['faisal', '1000002201']]),
  ).map(({ id }) => id.slice(-1));

describe('the search', () => {
  it.each([
    ['', '123'],
    ['019a-2', '2'],
    ['019A', '123'],
    ['MISMATCH', '2'],
    ['  متجر ', '1'],
    ['login', '3'],
    ['فيصل', '2'],
    ['faisal', '2'],
    ['nothing', ''],
    ['a-1\n', '1'],
    ['بانتظار', '13'],
    ['not done', '2'],
    ['1000002201', '2'],
    ['٢٢٠١', '2'],
  ])('for "%s" finds %s', (text, ids) => {
    expect(idsWith({ text }).join('')).toBe(ids);
  });

  it('is within a flow', () => {
    expect(idsWith({ flow: 'mfa', text: '019a' })).toEqual(['2', '3']);
  });

  it('counts the states of what it has found', () => {
    expect(Object.fromEntries(countsOf(ROWS))).toEqual({ pending: 2, failed: 1 });
  });

  it('counts what nobody has to answer any more by itself', () => {
    const [first, second, third] = ROWS.map((row) => ({ ...row, state: 'pending' }));
    const rows = [first, { ...second, planned: true }, { ...third, planned: true, answered: true }];
    const counts = countsOf(rows as readonly Row[]);
    expect(Object.fromEntries(counts)).toEqual({ pending: 1, planned: 1, answered: 1 });
  });
});
