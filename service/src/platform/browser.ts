import { spawn } from 'node:child_process';
import process from 'node:process';

/** No shell is between: an address has characters that mean something to one. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const ELSEWHERE = ['xdg-open'];

/**
 * Opens an address in the person's browser. Nothing is told of a machine without one: whoever calls
 * this has printed the address.
 */
export function openBrowser(address: string): void {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return;
  const [program = '', ...args] = OPENERS[process.platform] ?? ELSEWHERE;
  const child = spawn(program, [...args, url.href], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}
