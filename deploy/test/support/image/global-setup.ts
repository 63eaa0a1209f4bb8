import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { CONTAINERS, engineIn, STORAGE_FILE } from './engine.ts';

/** Makes the folder for the images and containers of a run, and removes what was started in it. */
export default function setUp(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-containers-'));
  process.env[CONTAINERS] = folder;
  return async () => {
    if (existsSync(join(folder, STORAGE_FILE))) await engineIn(folder).removeAll();
    rmSync(folder, { recursive: true, force: true });
  };
}
