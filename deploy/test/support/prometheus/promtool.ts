import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findTool } from '../../../../scripts/debian.mjs';

export const KIT = join(import.meta.dirname, '../../../prometheus');
const PROMTOOL = findTool('promtool') ?? 'promtool';

export function promtool(folder: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, [...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}
