import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSite } from '../../build-site.ts';
import { readPages, root } from '../../content/pages.ts';

/** What the site is made of beside the documents and their pictures. */
const PROGRAM = ['site/*.*', 'site/{content,landing,src}/**/*.*', 'pages/src/key.svg'];
const GENERATED = ['site/src/content/docs/**'];

/**
 * The folder of a site for this path, built from an empty folder, unless nothing has changed since
 * the last time.
 */
export async function builtSite(base: string) {
  const out = `.cache/site${base.replaceAll('/', '-')}`;
  const folder = join(root, out);
  const stampFile = `${folder}.sources`;
  const digest = digestOfSources();
  const isBuilt = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === digest;
  if (!isBuilt) {
    await buildSite({ out, base });
    writeFileSync(stampFile, digest);
  }
  return { folder, base };
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
