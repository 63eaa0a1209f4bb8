import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import type { SealContext, Vault } from '../../src/platform/keys/vault.port.ts';

/** The numbers identify secrets: the same number is the same secret. */
export type OpenVault = (current: number, ...retired: number[]) => Vault;

const PLACE: SealContext = { table: 'users', row: '1', column: 'name' };
const TEXT = 'سارة 1000000001';

const OTHER_PLACES: Readonly<Record<string, SealContext>> = {
  'another table': { ...PLACE, table: 'people' },
  'another row': { ...PLACE, row: '2' },
  'another column': { ...PLACE, column: 'email' },
  'parts that read the same in a row': { table: 'user', row: 's1', column: 'name' },
};

/** Tests a vault against the numbered promises of platform/keys/vault.port.ts. */
export function vaultConformance(name: string, open: OpenVault): void {
  describe(`${name} keeps the promises of the vault port`, () => {
    sealTests(open);
    keyTests(open);
    digestTests(open);
  });
}

function sealTests(open: OpenVault): void {
  test('V-1: a text comes back exactly as it was', () =>
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
        const vault = open(1);
        expect(vault.open(PLACE, vault.seal(PLACE, text))).toBe(text);
      }),
    ));

  test.each(Object.entries(OTHER_PLACES))('V-2: it does not open in %s', (_, place) => {
    const vault = open(1);
    const sealed = vault.seal(PLACE, TEXT);
    expect(() => vault.open(place, sealed)).toThrow(Error);
  });

  test('V-3: no change of one character, and nothing cut off, opens', () => {
    const vault = open(1);
    const sealed = vault.seal(PLACE, TEXT);
    for (let at = 0; at < sealed.length; at += 1) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(() => vault.open(PLACE, changed), changed).toThrow(Error);
      expect(() => vault.open(PLACE, sealed.slice(0, at))).toThrow(Error);
    }
  });

  test.each(['', TEXT, '1000000001', '....'])('V-3: %j, never sealed, does not open', (text) => {
    expect(() => open(1).open(PLACE, text)).toThrow('users.name');
  });

  test('V-4: no seal is made twice, and its length is all that it tells', () => {
    const vault = open(1);
    const seals = Array.from({ length: 1000 }, () => vault.seal(PLACE, TEXT));
    expect(new Set(seals).size).toBe(seals.length);
    expect(new Set(seals.map((sealed) => sealed.length)).size).toBe(1);
    const found = seals.filter((sealed) => sealed.includes('1000000001'));
    expect(found).toEqual([]);
  });

  test('V-7: an error says where, and not what', () => {
    const vault = open(1);
    const sealed = vault.seal(PLACE, TEXT);
    for (const text of [TEXT, `${sealed}A`, open(2).seal(PLACE, TEXT)]) {
      const message = messageOf(() => vault.open(PLACE, text));
      expect(message).not.toContain(TEXT);
      expect(message).not.toContain(text.slice(-20));
    }
  });
}

function keyTests(open: OpenVault): void {
  test('V-5: what an earlier key sealed still opens, and the current one seals', () => {
    const before = open(1);
    const after = open(2, 1);
    expect(after.retiredKeys).toEqual([before.currentKey]);
    expect(after.open(PLACE, before.seal(PLACE, TEXT))).toBe(TEXT);
    expect(open(2).open(PLACE, after.seal(PLACE, TEXT))).toBe(TEXT);
  });

  test('V-5: an error names the key that is not there', () => {
    const lost = open(1);
    const sealed = lost.seal(PLACE, TEXT);
    expect(messageOf(() => open(2).open(PLACE, sealed))).toContain(lost.currentKey);
    expect(messageOf(() => open(2).digest(lost.currentKey, TEXT))).toContain(lost.currentKey);
  });

  test('V-5: the id of one key does not open what another one sealed', () => {
    const vault = open(2, 1);
    const [earlier = ''] = vault.retiredKeys;
    const renamed = vault.seal(PLACE, TEXT).replace(vault.currentKey, earlier);
    expect(() => vault.open(PLACE, renamed)).toThrow(Error);
  });
}

function digestTests(open: OpenVault): void {
  test('V-6: the same for the same key and parts, in every vault that has the key', () => {
    const before = open(1);
    const key = before.currentKey;
    expect(before.digest(key, 'a', 'b')).toBe(open(2, 1).digest(key, 'a', 'b'));
  });

  test('V-6: another one for other parts, and for another key', () => {
    const vault = open(2, 1);
    const lists = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['c', 'ab'], []];
    const keys = [vault.currentKey, ...vault.retiredKeys];
    const digests = keys.flatMap((key) => lists.map((parts) => vault.digest(key, ...parts)));
    expect(new Set(digests).size).toBe(digests.length);
  });
}

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return String(error);
  }
  throw new Error('nothing was thrown');
}
