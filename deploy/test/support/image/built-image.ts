import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { hasTools } from '../../../../scripts/debian.mjs';
import { holdLock } from '../../../../scripts/lock.mjs';
import { root } from '../../../../scripts/run.mjs';
import { sharedEngine, type Engine } from './engine.ts';
import { machineBase, machineVolumes } from './machine-base.ts';

/** `live` leaves out the simulator. */
const FLAGS = { full: '', live: '--live' } as const;
type ImageKind = keyof typeof FLAGS;
/** A busy machine needs minutes. */
export const BUILD_TIMEOUT_MS = 900_000;

/**
 * The image of this checkout, built once in a run of the tests by deploy/image/Containerfile. The
 * tests reach no registry, so the base image is made of programs of this machine, and the packages
 * are those of node_modules.
 * @returns its name
 */
export async function builtImage(engine: Engine, kind: ImageKind = 'full'): Promise<string> {
  const name = `localhost/miftah:${kind}`;
  const unlock = await holdLock(join(engine.folder, 'build.lock'));
  try {
    if ((await engine.podman('image', 'exists', name)).code === 0) return name;
    const base = await machineBase(engine);
    // The `O` after node_modules mounts it as an overlay: the build may write there, and what it
    // writes is not kept.
    const options = [
      '--format=docker',
      '--isolation=chroot',
      '--network=host',
      `--volume=${join(root, 'node_modules')}:/src/node_modules:O`,
      `--build-arg=BUILD_BASE=${base}`,
      `--build-arg=RELEASE_FLAGS=${FLAGS[kind]}`,
      `--file=${join(root, 'deploy', 'image', 'Containerfile')}`,
      `--tag=${name}`,
    ];
    await engine.expectBuildah('build', ...machineVolumes(), ...options, root);
    return name;
  } finally {
    unlock();
  }
}

interface Built {
  readonly engine: Engine;
  readonly image: string;
}

/**
 * Has the image built before the tests of a file, where the machine has the tools for it.
 * @returns what gives a test the image
 */
export function builtBeforeTests(): () => Built {
  let built: Built | undefined;
  beforeAll(async () => {
    if (!hasTools('image')) return;
    const engine = sharedEngine();
    built = { engine, image: await builtImage(engine) };
  }, BUILD_TIMEOUT_MS);
  return () => {
    if (built === undefined) throw new Error('the image has not been built');
    return built;
  };
}
