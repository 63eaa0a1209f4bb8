import { SCOPE_PATTERN } from '@miftah/simulator/engine';
import { expect, it } from 'vitest';
import { SCOPE } from '../src/connect.ts';

it('connectMiftah takes the names of scopes that the simulator takes', () => {
  expect(SCOPE.source).toBe(SCOPE_PATTERN);
});
