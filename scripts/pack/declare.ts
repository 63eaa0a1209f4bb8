import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { root, run } from '../run.mjs';
import { withoutExtension } from './compile.ts';

const COMPILER = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/**
 * Writes the declarations of TypeScript modules, in the folders of their sources.
 * @param configuration path of a tsconfig.json; it lists the modules
 * @throws Error with what the compiler said
 */
export async function declare(configuration: string, folder: string): Promise<void> {
  const args = [COMPILER, '--project', join(root, configuration), '--outDir', folder];
  const { code, output } = await run(process.execPath, args);
  if (code !== 0) throw new Error(output);
  for (const file of readdirSync(folder, { recursive: true }).map(String)) {
    if (!file.endsWith('.d.ts')) continue;
    const path = join(folder, file);
    writeFileSync(path, compiledNames(readFileSync(path, 'utf8')));
  }
}

/** Imports of `.ts` become imports of `.js`, because only compiled files are published. */
function compiledNames(code: string): string {
  return code.replaceAll(/ from (['"])(\.[\w./-]+)\.ts\1/g, ' from $1$2.js$1');
}

/**
 * Writes the declarations of a module and of those whose types they name, in the folders of their
 * sources.
 * @param entry from the root of the repository
 * @throws Error where an export has no type that can be read from its source alone
 */
export function declareFromSource(entry: string, folder: string): void {
  const waiting = [entry];
  const done = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (done.has(path)) continue;
    done.add(path);
    const source = withContract(path, readFileSync(join(root, path), 'utf8'));
    const { code, errors } = isolatedDeclarationSync(path, source);
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
    const file = join(folder, `${withoutExtension(path)}.d.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, compiledNames(code));
    const from = dirname(path);
    waiting.push(
      ...[...code.matchAll(/ from "(\.[\w./-]+\.ts)"/g)].map(([, name = '']) => join(from, name)),
    );
  }
}

/** The contract is compiled into the package, so its modules are named by their places there. */
function withContract(path: string, source: string): string {
  return source.replaceAll(/ from '@miftah\/contract\/([\w-]+)'/g, (_, name: string) => {
    return ` from '${relative(dirname(path), join('contract', 'src', `${name}.ts`))}'`;
  });
}
