import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../run.mjs';
import { compile, compileStandalone, withoutExtension } from './compile.ts';
import { declare, declareFromSource } from './declare.ts';
import { manifestOf, notForBrowsers, NOT_FOR_BROWSERS, type Manifest } from './manifest.ts';
import { apartFrom, type PackedPackage } from './packages.ts';

/** Writes a package as npm installs it, without its libraries, into a new or an empty folder. */
export async function buildPackage(one: PackedPackage, built: string): Promise<Manifest> {
  const { libraries } = await compile(one.entries, apartFrom(one), join(built, 'dist'));
  for (const entry of one.standalone ?? []) {
    const file = join(built, 'dist', `${withoutExtension(entry)}.js`);
    write(file, await compileStandalone(entry));
  }
  if (one.declarations !== undefined) await declare(one.declarations, join(built, 'dist'));
  for (const entry of one.declaredAlone ?? []) declareFromSource(entry, join(built, 'dist'));
  if (one.nodeOnly !== undefined) {
    write(join(built, 'dist', NOT_FOR_BROWSERS), notForBrowsers(join(one.name, one.nodeOnly)));
  }
  for (const asset of one.assets) copy(asset, join(built, 'dist', asset));
  for (const [command, source] of Object.entries(one.bin)) {
    const text = readFileSync(join(root, source), 'utf8');
    write(join(built, 'bin', `${command}.mjs`), compiledImports(text, dirname(source)));
  }
  const manifest = manifestOf(one, libraries);
  write(join(built, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ['LICENSE', 'CHANGELOG.md']) copy(file, join(built, file));
  copy(join(one.workspace, 'PACKAGE.md'), join(built, 'README.md'));
  return manifest;
}

/** The program imports modules of `./src/`; packed, the same modules are in dist. */
function compiledImports(text: string, workspace: string): string {
  return text.replaceAll(/import\('\.\/(.+?)\.ts'\)/g, `import('../dist/${workspace}/$1.js')`);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, from), to, { recursive: true });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
