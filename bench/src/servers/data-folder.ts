import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for each server, gone when the work is done. */
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

/** Of statfs(2). Flushing a file costs nothing in memory, and says nothing then. */
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
