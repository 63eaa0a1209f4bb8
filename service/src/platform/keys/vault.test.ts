import { expect, test } from 'vitest';
import { vaultConformance } from '../../../test/conformance/vault.ts';
import { createRandom } from '../runtime.ts';
import { createVault } from './vault.ts';

const random = createRandom();

function secret(number: number): Uint8Array {
  return Buffer.alloc(32, number);
}

vaultConformance('AES-256-GCM', (current, ...retired) =>
  createVault({ current: secret(current), retired: retired.map(secret) }, random),
);

test('what was sealed by an earlier version of this program opens', () => {
  const vault = createVault({ current: secret(7), retired: [] }, random);
  const place = { table: 'users', row: 'row', column: 'arabic_name' };
  expect(vault.currentKey).toBe('ef7ab1a9');
  expect(vault.open(place, 'v1.ef7ab1a9.CQkJCQkJCQkJCQkJyVK-9jrprYOyKPzOfZ0Kx02ZMR6xTmN8')).toBe(
    'سارة',
  );
});

test('a secret that is given twice is refused', () => {
  const secrets = { current: secret(1), retired: [secret(2), secret(1)] };
  expect(() => createVault(secrets, random)).toThrow('twice');
});
