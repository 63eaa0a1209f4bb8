import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { findTool, hasTools } from '../../../scripts/debian.mjs';
import { programFile } from '../../../scripts/program-files.ts';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { until } from '../../../service/test/support/programs/until.ts';

/** The service in a terminal. What it does without one: service/test/e2e/supervisor.test.ts. */

test('SIGHUP goes on while the terminal is open, and a closed terminal ends the service', async () => {
  if (!hasTools('systemd')) return;
  const { said, pid, code, close } = await startInTerminal();
  process.kill(pid, 'SIGHUP');
  await until(() => said().includes('nothing is read anew'));
  close();
  await until(() => code() !== null);
  expect(code()).toBe(0);
});

/** `script` is the terminal: when it is killed, the terminal is closed. */
async function startInTerminal() {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-terminal-'));
  const file = (name: string) => join(folder, name);
  const read = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');
  // This shell outlives the terminal, to write down how the service has ended.
  const lines = [
    'trap : HUP',
    `sh -c 'echo $$ > ${file('pid')}; exec "$0" "$1"' "$NODE" "$SERVICE"`,
    `echo $? > ${file('code')}`,
  ];
  writeFileSync(file('run'), lines.join('\n'));
  const terminal = spawn(
    findTool('script') ?? 'script',
    ['--quiet', '--flush', '--command', `sh ${file('run')}; true`, file('screen')],
    { stdio: 'ignore', env: { ...(await settings(folder)), SHELL: '/bin/sh' } },
  );
  onTestFinished(() => {
    terminal.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  await until(() => read('screen').includes('Ctrl-C stops it'));
  return {
    said: () => read('screen'),
    pid: Number(read('pid')),
    code: () => (read('code').endsWith('\n') ? Number(read('code')) : null),
    close: () => void terminal.kill('SIGKILL'),
  };
}

async function settings(folder: string) {
  return {
    PATH: process.env['PATH'] ?? '',
    NODE: process.execPath,
    SERVICE: programFile('service'),
    PORT: String(await findFreePort()),
    DATA_DIR: join(folder, 'data'),
  };
}
