// Builds what is published and packs it: npm run pack:all [-- FOLDER]. Without a folder, into dist/.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { compile, compileStandalone, withoutExtension } from './pack/compile.ts';
import { declare, declareFromSource } from './pack/declare.ts';
import { emptyFolder } from './pack/empty-folder.ts';
import { manifestOf, notForBrowsers, NOT_FOR_BROWSERS } from './pack/manifest.ts';
import { apartFrom, PACKAGES, type PackedPackage } from './pack/packages.ts';
import { root, run } from './run.mjs';

const folder = resolve(process.argv[2] ?? join(root, 'dist'));
emptyFolder(folder);
for (const one of PACKAGES) console.log(await pack(one));

/** @returns the path of the tarball */
async function pack(one: PackedPackage): Promise<string> {
  const built = join(folder, basename(one.name));
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
  write(join(built, 'package.json'), `${JSON.stringify(manifestOf(one, libraries), null, 2)}\n`);
  for (const file of ['LICENSE', 'CHANGELOG.md']) copy(file, join(built, file));
  copy(join(one.workspace, 'PACKAGE.md'), join(built, 'README.md'));
  return tarballOf(built);
}

/** The program imports `./src/file.ts`; packed, the same module is in dist. */
function compiledImports(text: string, workspace: string): string {
  return text.replaceAll(/import\('\.\/(.+?)\.ts'\)/g, `import('../dist/${workspace}/$1.js')`);
}

async function tarballOf(built: string): Promise<string> {
  const args = ['pack', built, '--pack-destination', folder, '--json', '--ignore-scripts'];
  const { code, output } = await run('npm', args);
  if (code !== 0) throw new Error(output);
  const name = /"filename":\s*"([^"]+)"/.exec(output)?.[1];
  if (name === undefined) throw new Error(`npm pack did not name its file: ${output}`);
  return join(folder, name);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(join(root, from), to, { recursive: true });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
