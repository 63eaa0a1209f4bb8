import { createHash } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from '../run.mjs';

/**
 * Packs a folder into a file beside it, with the SHA-256 sum in a second file. The same folder gives
 * the same bytes: sorted names, no owner, and the time of the last commit.
 * @returns the path of the packed file
 */
export async function pack(folder: string): Promise<string> {
  const file = `${folder}.tar.gz`;
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  const time = [`--mtime=@${await timeOfCommit()}`];
  // Without -n the time of packing is in the file too.
  const compressed = ['--use-compress-program=gzip -n'];
  const place = ['--directory', dirname(folder), basename(folder)];
  const args = ['--create', '--file', file, ...same, ...time, ...compressed, ...place];
  const { code, output } = await run('tar', args);
  if (code !== 0) throw new Error(`tar failed, which has to be GNU tar: ${output}`);
  await writeSum(file);
  return file;
}

/** Writes the SHA-256 sum of a file beside it, as `sha256sum --check` reads it. */
export async function writeSum(file: string): Promise<void> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(file), sum);
  writeFileSync(`${file}.sha256`, `${sum.digest('hex')}  ${basename(file)}\n`);
}

/** In seconds; 0 for sources that are not in a repository. */
export async function timeOfCommit(): Promise<string> {
  const { code, output } = await run('git', ['log', '-1', '--format=%ct']);
  return code === 0 ? output.trim() : '0';
}
