import { expect, it } from 'vitest';
import { allKeys } from '../../values/secret.ts';
import { ServerKeyring } from './server-keyring.ts';

const [one, two, three] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const shown = (keys: ServerKeyring) => allKeys(keys).map(([byte]) => byte);

it('learns keys once, writes with one of them, and forgets none', () => {
  const keys = new ServerKeyring({ current: one, retired: [two] });
  keys.learn([Uint8Array.from(one), three, two]);
  expect(shown(keys)).toEqual([1, 2, 3]);
  keys.writeWith(three);
  expect(shown(keys)).toEqual([3, 1, 2]);
  expect(keys.unknownOf([one, two, three])).toEqual([]);
});

it('makes anew what follows from the keys when they have changed, and only then', () => {
  const keys = new ServerKeyring({ current: one, retired: [] });
  const all = keys.derived(allKeys);
  const first = all();
  expect(all()).toBe(first);
  keys.learn([two]);
  expect(all()).toEqual([one, two]);
  keys.writeWith(two);
  expect(all()).toEqual([two, one]);
});

it('does not hand out what followed from earlier keys after it could not be made anew', () => {
  const keys = new ServerKeyring({ current: one, retired: [] });
  let isBroken = false;
  const all = keys.derived((known) => {
    if (isBroken) throw new Error('broken');
    return allKeys(known);
  });
  keys.learn([two]);
  isBroken = true;
  expect(all).toThrow('broken');
  expect(all).toThrow('broken');
  isBroken = false;
  expect(all()).toEqual([one, two]);
});
