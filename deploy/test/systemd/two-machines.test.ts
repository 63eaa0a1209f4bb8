import { expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { Machine } from '../support/systemd/machine.ts';

test('two machines at once share no control group', async () => {
  if (!hasTools('systemd')) return;
  await using first = await Machine.bootWith([]);
  await using second = await Machine.bootWith([]);
  // Else a unit that ends on one would remove the group in which the other one starts its own.
  expect(second.controlGroups()).not.toBe(first.controlGroups());
});
