import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { asset } from './assets.ts';
import type { PageFiles } from './document.ts';

/** What the build of the console makes: its script, and its style. */
const FILES = { script: 'console.js', style: 'console.css' } as const;

const FOLDER = new URL('../../console/dist/', import.meta.url);

let found: PageFiles | null = null;

/**
 * Script and style of the console, or null as long as they are not built. They are read at the first
 * use, both at once, and kept: a build while the program runs is seen by the next one.
 */
export function consoleFiles(): PageFiles | null {
  found ??= builtFiles(FOLDER);
  return found;
}

/** What a build has left in a folder; null unless both files are there. */
export function builtFiles(folder: URL): PageFiles | null {
  const [script, style] = [contentOf(folder, FILES.script), contentOf(folder, FILES.style)];
  if (script === null || style === null) return null;
  return {
    script: asset('console', '.js', 'text/javascript; charset=utf-8', () => script),
    scriptHash: `sha256-${createHash('sha256').update(script).digest('base64')}`,
    style: asset('console', '.css', 'text/css; charset=utf-8', () => style),
  };
}

function contentOf(folder: URL, name: string): Buffer | null {
  const file = new URL(name, folder);
  return existsSync(file) ? readFileSync(file) : null;
}
