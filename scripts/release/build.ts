import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage } from '../pack/build.ts';
import type { Manifest } from '../pack/manifest.ts';
import { PACKAGES, type PackedPackage } from '../pack/packages.ts';
import { root } from '../run.mjs';
import { BILL, copyKit, copyTexts } from './contents.ts';
import { copyLibrary } from './copy-libraries.ts';
import { launcher } from './launcher.ts';
import { librariesOf } from './libraries.ts';
import { copyNode, pinnedNode } from './node.ts';
import { billOfMaterials } from './sbom.ts';

/** What live mode is ready without: the package of the simulator, and the reader of the API. */
const NOT_FOR_LIVE = ['@miftah/simulator', '@scalar/fastify-api-reference'];

/** Writes a release into an empty folder. */
export async function buildRelease(folder: string, isLive: boolean): Promise<void> {
  const excluded = isLive ? NOT_FOR_LIVE : [];
  const packed = PACKAGES.filter(({ name }) => !excluded.includes(name));
  const lib = join(folder, 'lib');
  const packages: Manifest[] = [];
  for (const one of packed) {
    packages.push(await buildPackage(one, join(lib, 'node_modules', one.name)));
  }
  const libraries = librariesOf(packages, excluded);
  for (const library of libraries) copyLibrary(library, lib);
  const node = pinnedNode();
  writeCommands(join(folder, 'bin'), packed);
  await copyNode(node, join(folder, 'bin', 'node'));
  copyKit(join(root, 'deploy'), join(folder, 'share', 'deploy'));
  copyTexts(folder);
  const bill = await billOfMaterials({ packages, libraries, node: node.version });
  writeFileSync(join(folder, BILL), bill);
  makeReadable(folder);
}

function writeCommands(bin: string, packed: readonly PackedPackage[]): void {
  mkdirSync(bin, { recursive: true });
  for (const { name, bin: commands } of packed) {
    for (const command of Object.keys(commands)) {
      const program = `lib/node_modules/${name}/bin/${command}.mjs`;
      writeFileSync(join(bin, command), launcher(program), { mode: 0o755 });
    }
  }
}

/** For every user, whatever the modes of the checkout are; written by its owner alone. */
function makeReadable(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isProgram = (statSync(path).mode & OWNER_RUNS) !== 0;
    chmodSync(path, isProgram ? 0o755 : 0o644);
  }
  chmodSync(folder, 0o755);
}

/** The bit of a file's mode that lets its owner run it; of a folder, enter it. */
const OWNER_RUNS = 0o100;
