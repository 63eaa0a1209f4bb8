import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { textAt } from './json.ts';

const run = promisify(execFile);
const LIMIT_MS = 60_000;

/** What the trial of the printed commands showed. */
export interface Trial {
  readonly name: string;
}

/** Tries exactly what is printed: the commands themselves, and the address. @throws Error */
export async function trial(lines: readonly string[], authorizationUrl: string): Promise<Trial> {
  const [signedIn] = await Promise.all([runLines(lines), openAddress(authorizationUrl)]);
  return signedIn;
}

async function runLines(lines: readonly string[]): Promise<Trial> {
  const { stdout, stderr } = await run('sh', ['-c', lines.join('\n')], { timeout: LIMIT_MS });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  const name = textAt(last, 'data', 'user', 'name');
  if (name === null || textAt(last, 'data', 'token') === null) {
    throw new Error(`the lines to paste did not sign in:\n${stdout}${stderr}`);
  }
  return { name };
}

/** Opening a launch page changes nothing: the sign-in starts when its button is pressed. */
async function openAddress(authorizationUrl: string): Promise<void> {
  const page = await fetch(authorizationUrl);
  const html = await page.text();
  if (page.ok && html.includes('/callback/launch')) return;
  throw new Error(`the address to open was answered ${page.status}`);
}
