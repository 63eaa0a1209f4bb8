import { rolldown, type Plugin } from 'rolldown';
import { root } from '../run.mjs';

const OWN = '@miftah/';
/** As threads are started: `new Worker(new URL('./folder/file.ts', import.meta.url))`. */
const WORKER_FILE = /new URL\('(\.\/[\w/-]+)\.ts', import\.meta\.url\)/g;

export interface Compiled {
  /** The libraries that the modules import. */
  readonly libraries: readonly string[];
}

/**
 * Compiles modules and everything of this repository that they import to JavaScript, a file for
 * each source, in the same folders. Libraries stay imports, and so do the workspaces in `apart`. In
 * one file threads and assets would not be found, and live mode would load the simulator.
 * @param entries from the root of the repository
 */
export async function compile(
  entries: readonly string[],
  apart: readonly string[],
  folder: string,
): Promise<Compiled> {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [withoutExtension(entry), entry])),
    platform: 'node',
    external: (id) => !isOurs(id) || apart.includes(packageOf(id)),
    plugins: [threadFiles()],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    preserveModules: true,
    preserveModulesRoot: root,
    entryFileNames: '[name].js',
  });
  const imported = output.flatMap((file) =>
    file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : [],
  );
  const files = new Set(output.map(({ fileName }) => fileName));
  const names = imported.filter((name) => !files.has(name) && !name.startsWith('node:'));
  return { libraries: [...new Set(names.map(packageOf))].toSorted() };
}

/**
 * Compiles a module and all that it imports into one small file without imports, for browsers.
 * @param entry from the root of the repository
 */
export async function compileStandalone(entry: string): Promise<string> {
  const bundle = await rolldown({ cwd: root, input: entry, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  return output[0].code;
}

export function withoutExtension(path: string): string {
  return path.replace(/\.m?[jt]s$/, '');
}

function isOurs(id: string): boolean {
  return id.startsWith('.') || id.startsWith('/') || id.startsWith(OWN) || !/^[@a-z]/.test(id);
}

/** `@scope/name/file` is of `@scope/name`. */
function packageOf(id: string): string {
  return id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The file of a thread is a module of its own, whose name the compiler does not know. */
function threadFiles(): Plugin {
  return {
    name: 'thread-files',
    async transform(code, id) {
      const files = [...code.matchAll(WORKER_FILE)].map(([, file]) => file);
      for (const file of files) {
        const found = await this.resolve(`${file}.ts`, id);
        const path = found?.id ?? '';
        this.emitFile({ type: 'chunk', id: path, fileName: nameOf(path) });
      }
      if (files.length === 0) return null;
      return code.replaceAll(WORKER_FILE, "new URL('$1.js', import.meta.url)");
    },
  };
}

function nameOf(id: string): string {
  return `${withoutExtension(id).slice(root.length + 1)}.js`;
}
