// `--import` for programs of this checkout that serve `@miftah/client/element` as a file: there it is
// TypeScript in several files, and in the package one file that browsers run. Whoever resolves the
// name is given such a file, compiled as the package is.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { compileStandalone } from './pack/compile.ts';
import { root } from './run.mjs';

const folder = join(root, '.cache');
const file = join(folder, 'miftah-wait.js');
const part = `${file}.${process.pid}`;
mkdirSync(folder, { recursive: true });
writeFileSync(part, await compileStandalone('client/src/element.ts'));
// In one step, because other programs may be starting too.
renameSync(part, file);

registerHooks({
  resolve: (name, context, next) =>
    name === '@miftah/client/element'
      ? { url: pathToFileURL(file).href, shortCircuit: true }
      : next(name, context),
});
