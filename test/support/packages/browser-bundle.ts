import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import type { EmptyFolder } from './installed.ts';

/**
 * Minified and compressed, as an application bundles what it has installed.
 * @param external what the application has anyway
 */
export async function bytesForBrowser(
  { path }: EmptyFolder,
  program: string,
  external: string[] = [],
): Promise<number> {
  const input = join(mkdtempSync(join(path, 'bundle-')), 'page.mjs');
  writeFileSync(input, program);
  const bundle = await rolldown({ input, platform: 'browser', external });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  if (output.length !== 1) throw new Error(`the bundle has ${output.length} files`);
  return gzipSync(output[0].code).length;
}
