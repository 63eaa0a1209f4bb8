// All checks of the sources that do not run them: types, lint, formatting, and unused code. Prints
// one line for each check, and the whole output of those that fail.

import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';

type Check = { name: string; command: string; args: readonly string[]; mend?: string };
type Outcome = { check: Check; ok: boolean; output: string; milliseconds: number };

const root = dirname(import.meta.dirname);

/** The next check looks only at what has changed since. */
const KEPT_TYPES = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/tsc/checked.json'];
/** Each further checker works out the same types again, and the other checks run meanwhile. */
const ONE_CHECKER = ['--checkers', '1'];

const CHECKS: readonly Check[] = [
  {
    name: 'types',
    command: 'tsc',
    args: ['--project', 'tsconfig.json', ...ONE_CHECKER, ...KEPT_TYPES],
  },
  { name: 'lint', command: 'oxlint', args: [] },
  {
    name: 'format',
    command: 'prettier',
    args: ['--check', '--cache', '.'],
    mend: 'npm run format',
  },
  { name: 'size', command: 'size-limit', args: [] },
  { name: 'unused', command: 'knip', args: ['--no-progress'] },
];

async function runCheck(check: Check): Promise<Outcome> {
  const start = performance.now();
  const { ok, output } = await runTool(check.command, check.args);
  return { check, ok, output, milliseconds: performance.now() - start };
}

function runTool(command: string, args: readonly string[]) {
  // `node scripts/check.ts` by hand lacks the search path that npm gives its scripts.
  const tools = join(root, 'node_modules', '.bin');
  const env = { ...process.env, PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}` };
  const shell = process.platform === 'win32';
  const child = spawn(command, args, { cwd: root, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise<{ ok: boolean; output: string }>((resolve) => {
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) => resolve({ ok: code === 0, output }));
  });
}

function report({ check, ok, output, milliseconds }: Outcome): void {
  const seconds = (milliseconds / 1000).toFixed(1);
  console.log(`${check.name.padEnd(8)} ${ok ? 'ok    ' : 'FAILED'} ${seconds} s`);
  if (ok) return;
  console.log(`\n${output.trim()}\n`);
  if (check.mend !== undefined) console.log(`to mend it: ${check.mend}\n`);
}

const outcomes = await Promise.all(
  CHECKS.map(async (check) => {
    const outcome = await runCheck(check);
    report(outcome);
    return outcome.ok;
  }),
);

if (outcomes.includes(false)) process.exitCode = 1;
