import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openLogOutput } from './log-output.ts';

function openFile() {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-log-output-'));
  const file = join(folder, 'log');
  const descriptor = openSync(file, 'a');
  onTestFinished(() => {
    closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  });
  return { file, output: openLogOutput(descriptor), text: () => readFileSync(file, 'utf8') };
}

/** For a write by another thread, which is waited for without leaving the turn. */
const MOST_LOOKS = 1_000_000;

/** More than may wait beside anything else. */
const LONG = `${'x'.repeat(1024 * 1024)}\n`;

it('goes on after a text that is longer than what may wait', async () => {
  const { output, text } = openFile();
  let lost = 0;
  output.on('lost', () => (lost += 1));
  const texts = ['first\n', LONG + LONG, 'after\n'];
  for (const one of texts) {
    output.write(one);
    await output.drain(30_000);
  }
  expect(text() === texts.join('')).toBe(true);
  expect(lost).toBe(0);
});

it('writes at once what follows no other, and then gathers the lines of several turns', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { file, output, text } = openFile();
  output.write('first\n');
  await output.drain(30_000);
  expect(text()).toBe('first\n');
  for (const line of ['second\n', 'third\n', 'fourth\n']) {
    output.write(line);
    // Node's threads take what they are given in order: a write that had begun would be seen.
    await readFile(file);
  }
  expect(await readFile(file, 'utf8')).toBe('first\n');
  vi.advanceTimersByTime(5);
  await output.drain(30_000);
  expect(text()).toBe('first\nsecond\nthird\nfourth\n');
});

it('says what was lost when the process ends inside the gap', () => {
  const { output, text } = openFile();
  output.on('restored', (gap) => output.write(`${JSON.stringify(gap)}\n`));
  output.write(LONG);
  for (const lost of ['one\n', 'two\n']) output.write(lost);
  output.writeAtEnd();
  expect(text() === `${LONG}{"lines":2,"reason":"EAGAIN"}\n`).toBe(true);
});

it('begins a line where the last write before the end stopped inside one', async () => {
  const { file, output, text } = openFile();
  output.write('first\n');
  // In this turn the write has begun, and nobody has heard yet how it went.
  await new Promise<void>((resolve) => setImmediate(resolve));
  for (let looked = 0; text() === '' && looked < MOST_LOOKS; looked += 1);
  appendFileSync(file, 'half of a li');
  output.write('last\n');
  output.writeAtEnd();
  expect(text()).toBe('first\nhalf of a li\nlast\n');
});
