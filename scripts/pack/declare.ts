import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { root, run } from '../run.mjs';
import { withoutExtension } from './compile.ts';

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
  writeFileSync(path, text.replaceAll(/ from (['"])(\.[\w./-]+)\.ts\1/g, ' from $1$2.js$1'));
}

/**
 * Writes the declarations of a module and of those whose types they name, in the folders of their
 * sources.
 * @param entry from the root of the repository
 * @throws Error where an export has no type that can be read from its source alone
 */
export function declareAlone(entry: string, folder: string): void {
  const [waiting, done] = [[entry], new Set<string>()];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (done.has(path)) continue;
    done.add(path);
    const source = readFileSync(join(root, path), 'utf8');
    const { code, errors } = isolatedDeclarationSync(path, source);
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
    const file = join(folder, `${withoutExtension(path)}.d.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    nameCompiled(file);
    const from = dirname(path);
    waiting.push(
      ...[...code.matchAll(/ from "(\.[\w./-]+\.ts)"/g)].map(([, name = '']) => join(from, name)),
    );
  }
}
