import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { findTool } from '../debian.mjs';
import { root, run } from '../run.mjs';
import { isPackageFile, readJson } from './read-json.ts';

export interface PinnedNode {
  readonly version: string;
  /** The programs, from the root of the repository. */
  readonly path: string;
}

/**
 * The Node of the lockfile for this system.
 * @throws Error where the lockfile has none
 */
export function pinnedNode(): PinnedNode {
  const system = `${process.platform}-${process.arch}`;
  const paths = [`node-${system}`, `node-bin-${system}`].map((name) => join('node_modules', name));
  const path = paths.find((one) => existsSync(join(root, one)));
  if (path === undefined || process.platform === 'win32') {
    throw new Error(`a release is made on Linux or macOS with the pinned Node; this is ${system}`);
  }
  const { version } = readJson(join(root, path, 'package.json'), isPackageFile);
  return { path, version };
}

/** Copies the program, without the symbols that only a debugger reads. */
export async function copyNode({ path }: PinnedNode, to: string): Promise<void> {
  copyFileSync(join(root, path, 'bin', 'node'), to);
  const strip = process.platform === 'linux' ? findTool('strip') : undefined;
  if (strip !== undefined) {
    const { code, output } = await run(strip, [to]);
    if (code !== 0) throw new Error(`strip failed: ${output}`);
  }
  chmodSync(to, 0o755);
}
