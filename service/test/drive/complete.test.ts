import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { drive, shareListening, type DriveOptions } from '../support/drive/drive.ts';
import { holdDeadline } from '../support/held-deadline.ts';
import { programFile } from '../../../scripts/program-files.ts';
import { startPhone } from '../support/service/login.ts';

/** `miftah complete`: what a shell asks while a command is typed. */

const instance = shareListening();

/** After it, nothing of the instance is offered. A busy machine may need longer to answer. */
const LIMIT_MS = 300;
const GENEROUS = `const limit = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => limit(ms === ${LIMIT_MS} ? 240_000 : ms);`;

/** Is asked, and does not answer before the limit. */
const silentUntil =
  (limitComes: () => void): typeof fetch =>
  (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      limitComes();
    });

/** The suggestions for the last of these words. */
async function suggested(words: readonly string[], options: DriveOptions = {}) {
  holdDeadline(LIMIT_MS);
  return ask(words, options);
}

async function ask(words: readonly string[], options: DriveOptions = {}) {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const ran = await drive(instance().origin, ['complete', '--', ...words], options);
  expect(ran).toMatchObject({ code: 0, err: '' });
  expect(lines.at(-1)).toBe(':4');
  return { values: lines.slice(0, -1).map((line) => line.split('\t')[0]), sent: ran.sent };
}

describe('miftah complete', () => {
  it('knows the commands of both kinds, and their flags', async () => {
    const all = await suggested(['']);
    expect(all.values).toEqual(expect.arrayContaining(['login', 'approve', 'audit', 'backup']));
    expect(all.sent).toEqual([]);
    expect((await suggested(['clock', ''])).values).toEqual(
      expect.arrayContaining(['advance', 'freeze', 'skew', 'reset']),
    );
    const flags = await suggested(['approve', '--']);
    expect(flags.values).toEqual(
      expect.arrayContaining(['--person', '--timeout', '--url', '--json']),
    );
  });

  it('has the choices of an argument, and what the instance knows', async () => {
    expect((await suggested(['open', 'd'])).values).toEqual(['docs']);
    const known = async (...words: string[]) => (await suggested(words)).values;
    expect(await known('approve', '--person', 'f')).toEqual(['faisal']);
    expect(await known('people', 'show', '')).toContain('siobhan');
    const { attempt_id: id } = await startPhone(instance().service);
    const both = { values: [id], sent: ['GET /simulator/prompts'] };
    expect(await suggested(['approve', ''])).toEqual(both);
  });

  it('offers nothing of an instance that is away or slow', async () => {
    const away = await suggested(['people', 'show', '--url', 'http://127.0.0.1:1', '']);
    expect(away.values).toEqual([]);
    const fetch = silentUntil(holdDeadline(LIMIT_MS));
    const slow = await ask(['people', 'show', ''], { context: { fetch } });
    expect(slow.values).toEqual([]);
  });

  it('offers nothing that a shell could run', async () => {
    const people = ['$(touch x)', '`id`', 'a;b', 'a b', "a'b", '-rf', 'good-one'].map((id) => ({
      id,
    }));
    const hostile = () => Promise.resolve(Response.json({ data: people }));
    const { values } = await suggested(['people', 'show', ''], { context: { fetch: hostile } });
    expect(values).toEqual(['good-one']);
  });

  it.each(['csh', 'powershell'])('refuses another shell: %s', async (shell) => {
    const ran = await drive(instance().origin, ['complete', shell]);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toBe(
      `error: There is no shell '${shell}'. Allowed choices are bash, zsh, fish.\n`,
    );
  });

  it('says the same of itself as the list of the commands, and which shell was meant', async () => {
    const help = await drive(instance().origin, ['complete', '--help']);
    expect(help.out).toContain('Usage: miftah complete [options] <shell>\n');
    expect(help.out).toContain('prints a completion script for bash, zsh or fish\n');
    const near = await drive(instance().origin, ['complete', 'bsh']);
    expect(near.err).toContain('(Did you mean bash?)\n');
  });
});

/** What the completion function of the shell's own script offers. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const script = `
    miftah() { "$NODE" "$MIFTAH" "$@"; }
    source <(miftah complete bash)
    COMP_WORDS=(miftah "$@") COMP_CWORD=$#
    __miftah_complete 2> /dev/null
    printf '%s\\n' "\${COMPREPLY[@]}"
  `;
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words], {
    env: {
      PATH: process.env['PATH'],
      NODE: process.execPath,
      MIFTAH: programFile('miftah'),
      MIFTAH_URL: instance().origin,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(GENEROUS)}`,
    },
  });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('a shell', () => {
  it('bash completes commands and what the instance knows', async () => {
    expect(await offered('sign')).toEqual(['signing-keys']);
    expect(await offered('people', 'show', 'si')).toEqual(['siobhan']);
  });

  it.each(['zsh', 'fish'])('%s has a script, and takes it where it is installed', async (shell) => {
    const lines: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
    expect((await drive(instance().origin, ['complete', shell])).code).toBe(0);
    const script = lines.join('\n');
    expect(script).toContain('miftah complete --');
    const folders = (process.env['PATH'] ?? '').split(':');
    const found = folders.map((folder) => join(folder, shell)).find((path) => existsSync(path));
    if (found !== undefined) await promisify(execFile)(found, ['-n', '-c', script]);
  });
});
