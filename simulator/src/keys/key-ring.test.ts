import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START } from '../../test/support/fakes.ts';
import { madeBefore } from '../../test/support/keys.ts';
import { KeyFileError, openKeyFile } from './key-file.ts';
import { KeyRing, keysInMemory, type KeptKey } from './key-ring.ts';

const TEN_MINUTES = 600_000;

function makeRing(store = keysInMemory()) {
  let made = 0;
  const make = madeBefore();
  const ring = new KeyRing(store, () => {
    made += 1;
    return make();
  });
  return { ring, made: () => made };
}

const rolesOf = (keys: readonly KeptKey[]) => keys.map(({ role }) => role);
const kidsOf = (keys: readonly KeptKey[]) => keys.map(({ key }) => key.kid);

describe('the keys', () => {
  it('are made when they are asked for, once however many ask', async () => {
    const { ring, made } = makeRing();
    expect(made()).toBe(0);
    const asked = await Promise.all([ring.signing(), ring.signing(), ring.published(START)]);
    expect(made()).toBe(1);
    expect(asked[1]).toEqual(asked[0]);
  });

  it('are published as RSA of 2048 bits for RS256, without a private part', async () => {
    const { ring } = makeRing();
    const [key] = await ring.published(START);
    expect(Object.keys(key ?? {})).toEqual(['kty', 'e', 'use', 'kid', 'alg', 'n']);
    expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256', e: 'AQAB' });
    expect(Buffer.from(key?.n ?? '', 'base64url')).toHaveLength(256);
  });

  it('can be asked for again after making one has failed', async () => {
    const make = madeBefore();
    let calls = 0;
    const ring = new KeyRing(keysInMemory(), () => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('no chance left')) : make();
    });
    await expect(ring.signing()).rejects.toThrow('no chance left');
    expect((await ring.signing()).kty).toBe('RSA');
  });

  it('never publish the stray one', async () => {
    const { ring } = makeRing();
    const stray = await ring.stray();
    expect(await ring.stray()).toBe(stray);
    expect(kidsOf(await ring.all(START))).not.toContain(stray.kid);
  });
});

describe('a rotation', () => {
  it('signs with another key and keeps the old one published for ten minutes', async () => {
    const { ring } = makeRing();
    const old = await ring.signing();
    const keys = await ring.rotate(START);
    expect(rolesOf(keys)).toEqual(['signing', 'retired']);
    expect((await ring.signing()).kid).not.toBe(old.kid);
    expect(kidsOf(await ring.all(START + TEN_MINUTES - 1))).toContain(old.kid);
    expect(kidsOf(await ring.all(START + TEN_MINUTES))).not.toContain(old.kid);
  });

  it('drops all old ones at once when it is told to', async () => {
    const { ring } = makeRing();
    await ring.rotate(START);
    expect(rolesOf(await ring.rotate(START, 'drop'))).toEqual(['signing']);
  });

  it('takes the announced key, which was published before it signed', async () => {
    const { ring } = makeRing();
    const announced = await ring.announce(START);
    expect(rolesOf(announced)).toEqual(['signing', 'announced']);
    expect(kidsOf(await ring.announce(START))).toEqual(kidsOf(announced));
    expect(kidsOf(await ring.rotate(START))).toEqual(kidsOf(announced).toReversed());
  });

  it('waits for the one before it', async () => {
    const { ring } = makeRing();
    await Promise.all([ring.rotate(START), ring.rotate(START), ring.announce(START)]);
    const keys = await ring.all(START);
    expect(rolesOf(keys)).toEqual(['signing', 'retired', 'retired', 'announced']);
    expect(new Set(kidsOf(keys)).size).toBe(4);
  });

  it('has not happened when it could not be saved', async () => {
    let full = false;
    const memory = keysInMemory();
    const { ring } = makeRing({
      load: () => memory.load(),
      save(keys) {
        if (full) throw new Error('the disk is full');
        memory.save(keys);
      },
    });
    const before = kidsOf(await ring.all(START));
    full = true;
    await expect(ring.rotate(START)).rejects.toThrow('the disk is full');
    expect(kidsOf(await ring.all(START))).toEqual(before);
    full = false;
    expect(rolesOf(await ring.rotate(START))).toEqual(['signing', 'retired']);
  });
});

describe('the key file', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'simulator-keys-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('brings the same keys back after a restart, roles and times included', async () => {
    const { ring } = makeRing(openKeyFile(directory));
    await ring.rotate(START);
    await ring.announce(START);
    const again = makeRing(openKeyFile(directory));
    expect(await again.ring.all(START)).toEqual(await ring.all(START));
    expect(again.made()).toBe(0);
  });

  it('can be read by nobody else', async () => {
    await makeRing(openKeyFile(join(directory, 'data'))).ring.signing();
    expect(statSync(join(directory, 'data', 'keys.json')).mode & 0o777).toBe(0o600);
  });

  it.each(['', '{', '{"keys":[]}', '{"keys":[{"role":"signing","key":{},"until":null}]}'])(
    'that holds %o is refused and left alone',
    async (text) => {
      const path = join(directory, 'keys.json');
      writeFileSync(path, text);
      const { ring } = makeRing(openKeyFile(directory));
      await expect(ring.signing()).rejects.toThrow(KeyFileError);
      await expect(ring.rotate(START)).rejects.toThrow(path);
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );
});
