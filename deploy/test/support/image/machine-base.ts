import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.ts';

const BASE = 'localhost/machine:base';

/** The folders of this machine that an image is built with. They are not part of the base. */
const FOLDERS = ['/usr', '/etc/ssl', '/etc/alternatives', '/var/lib/dpkg'];
/** Links of a Debian since version 12, where they point into `/usr`. */
const LINKS = ['bin', 'sbin', 'lib', 'lib64'];

/**
 * The base image for a machine that reaches no registry. It has empty folders alone, at which the
 * build mounts the programs and libraries of this machine (`machineVolumes`).
 */
export async function machineBase(engine: Engine): Promise<string> {
  if ((await engine.podman('image', 'exists', BASE)).code === 0) return BASE;
  const container = await engine.expectBuildah('from', 'scratch');
  const root = await engine.expectBuildah('mount', container);
  for (const folder of [...FOLDERS, '/tmp']) mkdirSync(join(root, folder), { recursive: true });
  for (const link of LINKS) symlinkSync(join('usr', link), join(root, link));
  await engine.expectBuildah('umount', container);
  await engine.expectBuildah('commit', '--quiet', '--rm', container, BASE);
  return BASE;
}

/** For `buildah build`: nothing of the machine can be changed by it. */
export function machineVolumes(): string[] {
  return FOLDERS.map((folder) => `--volume=${folder}:${folder}:ro`);
}
