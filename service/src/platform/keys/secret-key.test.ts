import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../runtime.ts';
import { loadSecretKey } from './secret-key.ts';

const random = createRandom();

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'miftah-key-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const source = (name: string) => JSON.stringify(join(import.meta.dirname, name));

/** A start in a process that may create files but not write into them. */
function loadWhereNothingFits(dataDir: string) {
  const script = `
    import { createRandom } from ${source('../runtime.ts')};
    import { loadSecretKey } from ${source('secret-key.ts')};
    loadSecretKey(${JSON.stringify(dataDir)}, createRandom());`;
  const limited = 'ulimit -f 0; exec "$0" --input-type=module --eval "$1"';
  return spawnSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' });
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

  it('is there whole or not at all when the process dies while it writes', () => {
    const dataDir = folder();
    expect(loadWhereNothingFits(dataDir).stderr).toContain('EFBIG');
    expect(readdirSync(dataDir)).not.toContain('secret.key');
    expect(loadSecretKey(dataDir, random)).toHaveLength(32);
  });

  it('leaves nothing else in the folder', () => {
    const dataDir = folder();
    loadSecretKey(dataDir, random);
    expect(readdirSync(dataDir)).toEqual(['secret.key']);
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
