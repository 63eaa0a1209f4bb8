import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { root, run } from '../run.mjs';

const COMPILER = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/**
 * Writes the declarations of TypeScript modules, in the folders of their sources.
 * @param configuration of the compiler: says which modules
 * @throws Error with what the compiler said
 */
export async function declare(configuration: string, folder: string): Promise<void> {
  const args = [COMPILER, '--project', join(root, configuration), '--outDir', folder];
  const { code, output } = await run(process.execPath, args);
  if (code !== 0) throw new Error(output);
  for (const file of readdirSync(folder, { recursive: true }).map(String)) {
    if (file.endsWith('.d.ts')) nameCompiled(join(folder, file));
  }
}

/** The declarations name the sources that they import, which are not published. */
function nameCompiled(path: string): void {
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replaceAll(/ from '(\.[\w./-]+)\.ts'/g, " from '$1.js'"));
}
