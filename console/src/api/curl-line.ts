import { page } from '../page.ts';
import { keptToken } from '../platform/kept.ts';

/** A command that does the same as this page, in the same scope. The token is left to the shell. */
export function curlLine(method: string, path: string, body?: unknown): string {
  const parts = ['curl', '-s'];
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) parts.push('-X', method);
  parts.push(quoted(location.origin + path));
  if (page.scope !== 'default') parts.push('-H', quoted(`X-Miftah-Scope: ${page.scope}`));
  if (keptToken.read() !== null) parts.push('-H', '"Authorization: Bearer $SIMULATOR_TOKEN"');
  if (body !== undefined) {
    parts.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body)));
  }
  return parts.join(' ');
}

/** For a shell, as one word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
