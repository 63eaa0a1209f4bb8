import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGES } from '../scripts/pack/packages.ts';
import { root } from '../scripts/run.mjs';

const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));

/** npx asks the registry for a command that it does not find, and would run what is there. */
test.each(PACKAGES.map(({ name, workspace, bin }) => [name, workspace, bin] as const))(
  'a clone has the commands of %s, and so has its lockfile',
  (_, workspace, bin) => {
    const manifest = read(join(workspace, 'package.json')) as Manifest;
    const { packages } = read('package-lock.json') as { packages: Record<string, Manifest> };
    for (const { bin: found = {} } of [manifest, packages[workspace] ?? {}]) {
      const files = Object.entries(found).map(([command, file]) => [command, basename(file)]);
      const packed = Object.entries(bin).map(([command, file]) => [command, basename(file)]);
      expect(files).toEqual(packed);
    }
  },
);

interface Manifest {
  readonly bin?: Readonly<Record<string, string>>;
}
