import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

it.each(['/etc/miftah/miftah.env', 'https://login.example.test', 'PORT=8080'])(
  'leaves %s as it is',
  (text) => {
    expect(shellWord(text)).toBe(text);
  },
);

it.each(['', 'two words', 'a;b', '$HOME', "it's", '`id`', '*', '~', 'a\nb', '"', '\\', 'مفتاح'])(
  'is read by a shell as it was: %j',
  (text) => {
    const printed = execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(text)}`]);
    expect(printed.toString()).toBe(text);
  },
);
