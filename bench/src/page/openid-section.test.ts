import { expect, it } from 'vitest';
import { openidTable } from './openid-section.ts';

it('compares each round with the same round of the others, alone and together', () => {
  const cpu = {
    library: [100, 200, 100],
    libraryOnStore: [100, 300, 100],
    attempts: [100, 100, 50],
    openid: [150, 400, 165],
  };
  const kind = 'raw' as const;
  const kinds = { library: kind, libraryOnStore: kind, attempts: kind, openid: kind };
  const { rows } = openidTable([{ name: 'CIBA start', kinds, cpu }]);
  expect(rows).toEqual([['CIBA start', '100', '100', '100', '165', '1.65', '1.50', '1.00']]);
});
