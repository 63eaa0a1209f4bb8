// Makes a folder that runs Miftah on a machine with nothing else, not even Node:
// npm run release [-- --out FOLDER] [--live] [--tar] [--deb]

import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildRelease } from './release/build.ts';
import { requireFree } from './release/contents.ts';
import { packDebian } from './release/debian.ts';
import { isPackageFile, readJson } from './release/read-json.ts';
import { pack } from './release/tar.ts';
import { root } from './run.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    live: { type: 'boolean', default: false },
    tar: { type: 'boolean', default: false },
    deb: { type: 'boolean', default: false },
  },
});

const { version } = readJson(join(root, 'package.json'), isPackageFile);

function defaultName(): string {
  const live = values.live ? '-live' : '';
  return `miftah-${version}${live}-${process.platform}-${process.arch}`;
}

const out = resolve(values.out ?? join(root, 'dist', 'release', defaultName()));
requireFree(out);
mkdirSync(dirname(out), { recursive: true });
// Renamed at the end, so that there is never half a release at that place.
const made = mkdtempSync(join(dirname(out), '.release-'));
try {
  await buildRelease(made, values.live);
  rmSync(out, { recursive: true, force: true });
  renameSync(made, out);
} finally {
  rmSync(made, { recursive: true, force: true });
}
console.log(out);
if (values.tar) console.log(await pack(out));
if (values.deb) console.log(await packDebian(out, { version, isLive: values.live }));
