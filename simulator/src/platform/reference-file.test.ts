import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIRST_REFERENCE } from '../engine/references.ts';
import { openReferenceFile, ReferenceFileError } from './reference-file.ts';

let base: string;
let directory: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'references-'));
  directory = base;
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const file = () => join(directory, 'references.json');

describe('the reference file', () => {
  it('is on the disk before a block is used, and goes on where it was', () => {
    const first = openReferenceFile(directory).reserve(1000);
    expect(first).toBe(FIRST_REFERENCE);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ next: FIRST_REFERENCE + 1000 });
    expect(openReferenceFile(directory).reserve(1)).toBe(FIRST_REFERENCE + 1000);
  });

  it('makes its directory, and begins where it is told to', () => {
    directory = join(directory, 'deeper', 'still');
    expect(openReferenceFile(directory, 7_000_000).reserve(1)).toBe(7_000_000);
  });

  it('ignores a draft that a crash has left', () => {
    writeFileSync(`${file()}.new`, '{"ne');
    expect(openReferenceFile(directory).reserve(1)).toBe(FIRST_REFERENCE);
  });

  it.each(['', 'x', '{}', '[]', '{"next":0}', '{"next":1.5}', '{"next":"5"}', '{"next":9e16}'])(
    'refuses to begin anew when it says %j',
    (text) => {
      writeFileSync(file(), text);
      expect(() => openReferenceFile(directory)).toThrow(ReferenceFileError);
      expect(readFileSync(file(), 'utf8')).toBe(text);
    },
  );

  it('never repeats a reference over real kills', async () => {
    let last = 0;
    for (let round = 0; round < 3; round += 1) {
      const seen = await referencesUntilKilled(directory);
      expect(seen.length).toBeGreaterThan(0);
      for (const reference of seen) {
        expect(reference).toBeGreaterThan(last);
        last = reference;
      }
    }
  });
});

/** Starts a process that only takes references, and kills it meanwhile. */
async function referencesUntilKilled(where: string): Promise<readonly number[]> {
  const modules = ['./reference-file.ts', '../engine/references.ts'].map(
    (path) => pathToFileURL(join(import.meta.dirname, path)).href,
  );
  const program = `
    import { writeSync } from 'node:fs';
    const [{ openReferenceFile }, { References }] = await Promise.all(
      ${JSON.stringify(modules)}.map((module) => import(module)));
    const references = new References(openReferenceFile(process.argv[1]));
    // The pipe is full whenever the test reads more slowly.
    const said = (line) => {
      try {
        return writeSync(1, line);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        return 0;
      }
    };
    for (;;) {
      const line = references.next() + '\\n';
      while (said(line) === 0);
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, where], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > 20_000) child.kill('SIGKILL');
  }
  await closed;
  // The last line may be incomplete.
  return text.split('\n').slice(0, -1).map(Number);
}
