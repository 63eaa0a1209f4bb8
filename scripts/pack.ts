// Builds what is published and packs it: npm run pack:all [-- FOLDER]. Without a folder, into dist/.
// The package of Python is made where hatchling is.

import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { buildPackage } from './pack/build.ts';
import { emptyFolder } from './pack/empty-folder.ts';
import { PACKAGES } from './pack/packages.ts';
import { packPython } from './pack/python.ts';
import { root, run } from './run.mjs';

const folder = resolve(process.argv[2] ?? join(root, 'dist'));
emptyFolder(folder);
for (const one of PACKAGES) {
  const built = join(folder, basename(one.name));
  await buildPackage(one, built);
  console.log(await tarballOf(built));
}
const ofPython = await packPython(join(folder, 'python'));
if (ofPython === null) {
  console.error(
    'NOT MADE: the package of Python. hatchling not found: python3-hatchling of Debian brings it.',
  );
} else {
  for (const file of ofPython) console.log(file);
}

/** @returns the path of the tarball */
async function tarballOf(built: string): Promise<string> {
  const args = ['pack', built, '--pack-destination', folder, '--json', '--ignore-scripts'];
  const { code, output } = await run('npm', args);
  if (code !== 0) throw new Error(output);
  const name = /"filename":\s*"([^"]+)"/.exec(output)?.[1];
  if (name === undefined) throw new Error(`npm pack did not name its file: ${output}`);
  return join(folder, name);
}
