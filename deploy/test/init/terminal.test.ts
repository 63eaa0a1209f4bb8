import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { installed, temporaryFolder } from '../support/init/installed.ts';
import { keptCode } from '../support/release/built-release.ts';

const INTERRUPT = '\u0003';

/** What a person types, by a part of the question that it answers. An empty text is Enter. */
type Typed = readonly (readonly [question: string, text: string])[];

/** Runs a command on a terminal, which util-linux's `script` makes, and types the answers. */
async function onTerminal(command: string, typed: Typed, cwd: string) {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { PATH: '/usr/bin:/bin', TERM: 'xterm', ...keptCode() },
  });
  onTestFinished(() => void child.kill());
  let shown = '';
  let answered = 0;
  const left = [...typed];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += stripVTControlCharacters(text);
    const [next] = left;
    const asked = next === undefined ? -1 : shown.indexOf(next[0], answered);
    // The frame of a question ends so, and then its keys are read.
    if (next === undefined || asked < 0 || !shown.includes('└', asked)) return;
    answered = shown.length;
    left.shift();
    setImmediate(() => child.stdin.write(next[1].length === 1 ? next[1] : `${next[1]}\r`));
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, shown, left };
}

const ANSWERS: Typed = [
  ['reach the service', 'http://login.example.test'],
  ["can't be used: it must be https", 'https://login.example.test'],
  ['X-Forwarded-For', ''],
  ['several instances', ''],
  ['Origin of the provider', 'https://api.provider.test'],
  ['before its paths', ''],
  ['sign-ins by browser alone', ''],
  ['application id there', 'canary-app-id'],
  ['goes with the application id', 'canary-app-key'],
  ['Issuer of its tokens', ''],
  ['tokens of sign-ins by browser', ''],
  ['audience of its tokens', ''],
  ['page where people sign in', ''],
  ['IP address', ''],
  ['mfa-callback', 'registered'],
  ['first application', 'bank'],
  ['name in English', 'Example Bank'],
  ['name in Arabic', 'مصرف المثال'],
  ['come back to', 'https://bank.example.test/return'],
];

it('miftah init asks on a terminal, and shows no secret', async () => {
  const { release } = await installed();
  const folder = temporaryFolder();
  const command = `${release}/bin/miftah init --dir own`;
  const { code, shown, left } = await onTerminal(command, ANSWERS, folder);
  expect({ code, left }, shown).toEqual({ code: 0, left: [] });
  expect(shown).not.toContain('canary');
  const settings = readFileSync(join(folder, 'own', 'miftah.env'), 'utf8');
  expect(settings).toContain('\nPUBLIC_URL=https://login.example.test\n');
  expect(settings).toContain('\nPROVIDER_ISSUER=https://api.provider.test\n');
  const secrets = ['provider-app-id', 'provider-app-key'].map((name) =>
    readFileSync(join(folder, 'own', 'secrets', name), 'utf8'),
  );
  expect(secrets).toEqual(['canary-app-id\n', 'canary-app-key\n']);
});

it('answers that are pasted at once are used in their order, and no secret of them is shown', async () => {
  const { release } = await installed();
  const folder = temporaryFolder();
  const command = `${release}/bin/miftah init --dir own`;
  const answers = ANSWERS.filter(([, text]) => !text.startsWith('http://'));
  const pasted = answers.map(([, text]) => text).join('\r');
  const { code, shown } = await onTerminal(command, [['reach the service', pasted]], folder);
  expect(code, shown).toBe(0);
  expect(shown).toContain('https://bank.example.test/return');
  expect(shown).not.toContain('canary');
  const secrets = ['provider-app-id', 'provider-app-key'].map((name) =>
    readFileSync(join(folder, 'own', 'secrets', name), 'utf8'),
  );
  expect(secrets).toEqual(['canary-app-id\n', 'canary-app-key\n']);
});

it.each([
  ['Ctrl-C', INTERRUPT],
  ['Ctrl-D', '\u0004'],
])('%s ends it, at a hidden question too, and nothing is written', async (_, key) => {
  const { release } = await installed();
  const folder = temporaryFolder();
  const command = `${release}/bin/miftah init --dir own`;
  const typed = [...ANSWERS.slice(0, 3), ['several instances', key] as const];
  const { code, left } = await onTerminal(command, typed, folder);
  expect(code).not.toBe(0);
  expect(left).toEqual([]);
  expect(existsSync(join(folder, 'own'))).toBe(false);
});

it('asks nothing where its messages are read by nobody, and says what is missing', async () => {
  const { release } = await installed();
  const folder = temporaryFolder();
  const command = `${release}/bin/miftah init --dir own 2> errors`;
  const { code, shown } = await onTerminal(command, [], folder);
  expect({ code, shown }).toEqual({ code: 2, shown: '' });
  expect(readFileSync(join(folder, 'errors'), 'utf8')).toMatch(/ {2}- --public-url is needed: /);
  expect(existsSync(join(folder, 'own'))).toBe(false);
});
