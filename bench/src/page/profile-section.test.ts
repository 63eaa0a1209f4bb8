import { expect, it } from 'vitest';
import { LAYERS } from '../measures/layers.ts';
import { profileTable } from './profile-section.ts';

it('shows the layers of each kind of request, and the threads below them', () => {
  const { heading, rows } = profileTable([
    {
      name: 'status',
      layers: { [LAYERS.store]: 3.25 },
      threads: {
        main: { all: 40, system: 10 },
        worker: { all: 2, system: 1 },
        others: { all: 5, system: 0 },
      },
    },
  ]);
  expect(heading).toEqual(['CPU µs', 'status']);
  expect(rows).toContainEqual([LAYERS.store, '3.3']);
  expect(rows).toContainEqual([LAYERS.http, '0.0']);
  expect(rows).toContainEqual(['of it in the system', '10.0']);
  expect(rows.at(-1)).toEqual(['**all threads**', '47.0']);
});
