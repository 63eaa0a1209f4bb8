import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdLock } from '../../../scripts/lock.mjs';
import { buildSite } from '../../build-site.ts';
import { readPages, root } from '../../content/pages.ts';

/** As on hosts that many projects share: a link that leaves the path is found. */
const BASE = '/docs/miftah/';
/** How long it may take on a machine that is busy with other tests. */
export const BUILD_MS = 400_000;

/** What the site is made of beside the documents and their pictures. */
const PROGRAM = ['site/*.*', 'site/{content,landing,src}/**/*.*', 'pages/src/key.svg'];
const GENERATED = ['site/src/content/docs/**'];

/**
 * The site that all tests read, built from an empty folder, unless nothing has changed since the last
 * time. Who comes while another process builds it waits for that.
 */
export async function builtSite() {
  const out = '.cache/site';
  const folder = join(root, out);
  const stampFile = `${folder}.sources`;
  const release = await holdLock(`${folder}-tests.lock`);
  try {
    const digest = digestOfSources();
    const isBuilt = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === digest;
    if (!isBuilt) {
      await buildSite({ out, base: BASE });
      writeFileSync(stampFile, digest);
    }
  } finally {
    release();
  }
  return { folder, base: BASE };
}

function digestOfSources(): string {
  const sum = createHash('sha256');
  const program = globSync(PROGRAM, { cwd: root, exclude: GENERATED });
  const pictures = globSync('docs/images/*', { cwd: root });
  const documents = readPages().map(({ source }) => source);
  for (const file of [...new Set([...program, ...pictures, ...documents])].toSorted()) {
    sum.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return sum.digest('hex');
}
