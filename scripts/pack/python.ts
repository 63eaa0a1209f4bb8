import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findTool } from '../debian.mjs';
import { root } from '../run.mjs';

const SOURCES = join(root, 'clients', 'python');

/**
 * Makes the wheel and the source distribution of the package of Python. The same sources give the
 * same bytes.
 * @param folder a new or an empty one
 * @returns their paths; null on a machine without hatchling
 * @throws Error with what hatchling said
 */
export async function packPython(folder: string): Promise<readonly string[] | null> {
  const hatchling = findTool('hatchling');
  if (hatchling === undefined) return null;
  mkdirSync(folder, { recursive: true });
  await promisify(execFile)(hatchling, ['build', '-d', folder], { cwd: SOURCES });
  const files = readdirSync(folder).map((name) => join(folder, name));
  // Hatchling makes them for their owner alone.
  for (const file of files) chmodSync(file, 0o644);
  return files;
}
