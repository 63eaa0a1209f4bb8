import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, compileStandalone, withoutExtension } from '../../../../scripts/pack/compile.ts';
import { manifestOf } from '../../../../scripts/pack/manifest.ts';
import { PACKAGES } from '../../../../scripts/pack/packages.ts';
import { temporaryFolder, type AtEnd } from '../at-end.ts';

const EXAMPLE = fileURLToPath(new URL('../../../../examples/web', import.meta.url));

/**
 * The folder of the example as somebody has copied it, beside the client as its package has it.
 * @returns the program
 */
export async function copyExample(atEnd: AtEnd): Promise<string> {
  const folder = temporaryFolder('copied', atEnd);
  cpSync(EXAMPLE, join(folder, 'web'), { recursive: true });
  await installClient(folder);
  return join(folder, 'web', 'app.mjs');
}

/** Puts the client into a folder, as its package has it. */
export async function installClient(folder: string): Promise<void> {
  const client = PACKAGES.find(({ name }) => name === '@miftah/client');
  if (client === undefined) throw new Error('the client is not published');
  const installed = join(folder, 'node_modules', client.name);
  mkdirSync(installed, { recursive: true });
  const { libraries } = await compile(client.entries, client.optional, join(installed, 'dist'));
  for (const entry of client.standalone ?? []) {
    const file = join(installed, 'dist', `${withoutExtension(entry)}.js`);
    writeFileSync(file, await compileStandalone(entry));
  }
  const manifest = JSON.stringify(manifestOf(client, libraries));
  writeFileSync(join(installed, 'package.json'), manifest);
}
