// Runs another program and keeps its output, so that the output is shown only if it fails.

import { spawn } from 'node:child_process';
import { dirname, delimiter, join, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The search path without this checkout's own programs: `npm ci` deletes them while it runs,
 * including the pinned Node, so npm itself has to run on the machine's Node.
 */
function machinePath() {
  const own = join(root, 'node_modules') + sep;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => !folder.startsWith(own)).join(delimiter);
}

/** The folders in which the machine's own programs are searched. */
export function machineFolders() {
  return machinePath().split(delimiter).filter(Boolean);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [settings] added to the environment
 * @returns {Promise<{ code: number, output: string }>} a program that cannot be started counts as
 *   failed, with the reason as its output
 */
export function run(command, args, settings = {}) {
  const env = { ...process.env, PATH: machinePath(), ...settings };
  // On Windows npm is a command file, which only a shell can start.
  const shell = process.platform === 'win32';
  const child = spawn(command, args, { cwd: root, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
