import { page } from '../page.ts';
import { keptToken } from '../platform/kept.ts';
import { shellWord, type Pieces } from './shell-word.ts';

/** A command that does the same as this page, in the same scope. The token is left to the shell. */
export function curlLine(method: string, path: string, body?: unknown): string {
  const isPlain = method === 'GET' || (method === 'POST' && body !== undefined);
  const words: Pieces[] = [['curl'], ['-s'], ...(isPlain ? [] : [['-X'], [method]])];
  words.push([location.origin + path]);
  if (!page.isUsualScope) words.push(['-H'], [`X-Miftah-Scope: ${page.scope}`]);
  if (keptToken.read() !== null) {
    words.push(['-H'], ['Authorization: Bearer ', { variable: 'SIMULATOR_TOKEN' }]);
  }
  if (body !== undefined) {
    words.push(['-H'], ['Content-Type: application/json'], ['-d'], [JSON.stringify(body)]);
  }
  return words.map(shellWord).join(' ');
}
