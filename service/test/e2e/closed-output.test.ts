import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { COMPILE_CACHE } from '../../../scripts/compile-cache.mjs';
import { programFile } from '../../../scripts/program-files.ts';

const run = promisify(execFile);

const COMMANDS: [string, string][] = [
  ['miftah', '--help'],
  ['miftah', 'start --help'],
  ['miftah', 'client key'],
  ['service', '--help'],
  ['service', '--show-config'],
  ['simulator', '--help'],
];

const environment = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE };

async function printInto(where: string, name: string, args: string) {
  const file = programFile(name as Parameters<typeof programFile>[0]);
  const line = `'${process.execPath}' '${file}' ${args} ${where}; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await run('bash', ['--norc', '-c', line], { env: environment });
  return { code: stdout.trim(), stderr };
}

it.each(COMMANDS)('%s %s ends quietly when nobody reads what it prints', async (name, args) => {
  expect(await printInto('| true', name, args)).toEqual({ code: '0', stderr: '' });
});

it.each(COMMANDS)('%s %s says that its output could not be written', async (name, args) => {
  const { code, stderr } = await printInto('> /dev/full', name, args);
  expect(code).toBe('1');
  expect(stderr).toMatch(/^the output could not be written: ENOSPC[^\n]*\n$/);
});
