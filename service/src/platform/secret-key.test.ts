import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRandom } from './random.ts';
import { loadSecretKey } from './secret-key.ts';

const random = createRandom();

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'miftah-key-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('the secret of the server', () => {
  it('is made once, in a folder that is made for it, and is the same at every later start', () => {
    const dataDir = join(folder(), 'a', 'b');
    const key = loadSecretKey(dataDir, random);
    expect(key).toHaveLength(32);
    expect(loadSecretKey(dataDir, random)).toEqual(key);
  });

  it('is another one in another folder', () => {
    expect(loadSecretKey(folder(), random)).not.toEqual(loadSecretKey(folder(), random));
  });

  it('is for its owner only', () => {
    const dataDir = join(folder(), 'data');
    loadSecretKey(dataDir, random);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  it('is read from a file that an operator put there', () => {
    const dataDir = folder();
    writeFileSync(join(dataDir, 'secret.key'), `${'AB'.repeat(32)}\r\n`);
    expect(loadSecretKey(dataDir, random)).toEqual(Buffer.alloc(32, 0xab));
  });

  it.each(['', 'AB', 'x'.repeat(64), 'AB'.repeat(33)])(
    'is not made up for a file that holds something else: %j',
    (text) => {
      const dataDir = folder();
      const path = join(dataDir, 'secret.key');
      writeFileSync(path, text);
      expect(() => loadSecretKey(dataDir, random)).toThrow('does not hold 32 bytes in hex');
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );
});
