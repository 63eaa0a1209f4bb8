import { SCOPE_PATTERN } from '@miftah/contract/values';
import { SCOPE_PATTERN as OF_SIMULATOR } from '@miftah/simulator/engine';
import { expect, it } from 'vitest';

it('the service and the simulator, which share no code, take the same names of scopes', () => {
  expect(OF_SIMULATOR).toBe(SCOPE_PATTERN);
});
