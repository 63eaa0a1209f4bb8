import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { asciiJson, shellWord } from './shell.ts';

const hostile = [
  "it's",
  "'; echo broken; '",
  '$(echo broken)',
  '`echo broken`',
  'a\nb',
  '\\',
  '!x',
  '\u202etxt.exe',
  '"',
];

describe('a command to paste', () => {
  it.each(hostile)('stays one word in a shell: %j', (text) => {
    const said = execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' });

    expect(said).toBe(text);
  });

  it.each(hostile)('carries JSON in printable ASCII that means the same: %j', (text) => {
    const json = asciiJson({ text });

    expect(json).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(json)).toEqual({ text });
  });
});
