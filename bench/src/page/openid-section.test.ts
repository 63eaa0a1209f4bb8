import { expect, it } from 'vitest';
import { openidTable, requestsTable } from './openid-section.ts';

const kind = 'raw' as const;
const kinds = { library: kind, libraryOnStore: kind, attempts: kind, openid: kind };
const none = { library: [], libraryOnStore: [], attempts: [], openid: [] };

it('compares each round with the same round of the others, alone and together', () => {
  const cpu = {
    library: [100, 200, 100],
    libraryOnStore: [100, 300, 100],
    attempts: [100, 100, 50],
    openid: [150, 400, 165],
  };
  const simulated = { ...none, openid: [70, 90, 80] };
  const line = { name: 'CIBA start', kinds, cpu, simulated, requests: {} };
  expect(openidTable([line]).rows).toEqual([
    ['CIBA start', '100', '100', '100', '165', '1.65', '1.50', '1.00', '80'],
  ]);
});

it('has a line for each request of a sign-in, with nothing where a side has no such request', () => {
  const requests = { button: { ...none, openid: [30, 10, 20] } };
  const line = { name: 'code sign-in', kinds, cpu: none, simulated: none, requests };
  expect(requestsTable([line]).rows).toEqual([['code sign-in: button', '', '', '', '20']]);
});
