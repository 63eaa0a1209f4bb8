import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder for a server, and removes it after the work. */
export async function inNewFolder<Result>(
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * File system types of statfs(2). In a file system in memory a flush costs nothing, so its figures
 * are meaningless.
 */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x794c7630: 'overlay',
  0x01021994: 'tmpfs (in memory: flushes cost nothing)',
};

export function fileSystem(): string {
  return FILE_SYSTEMS[statfsSync(tmpdir()).type] ?? 'unknown';
}
