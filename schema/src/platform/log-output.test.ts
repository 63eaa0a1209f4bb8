import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLogOutput } from './log-output.ts';

it('goes on after a text that is longer than what may wait', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-log-output-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'log');
  const descriptor = openSync(file, 'a');
  const output = openLogOutput(descriptor);
  let lost = 0;
  output.on('lost', () => (lost += 1));
  const texts = ['first\n', `${'x'.repeat(2 * 1024 * 1024)}\n`, 'after\n'];
  for (const text of texts) {
    output.write(text);
    await output.drain(30_000);
  }
  closeSync(descriptor);
  expect(readFileSync(file, 'utf8') === texts.join('')).toBe(true);
  expect(lost).toBe(0);
});
