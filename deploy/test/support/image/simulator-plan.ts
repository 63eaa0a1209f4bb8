import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { findFreePort } from '../../../../service/test/support/programs/service-process.ts';
import type { Built } from './built-image.ts';
import type { ContainerPlan } from './container.ts';

async function volumeOf({ engine }: Built): Promise<string> {
  const name = `miftah-${randomUUID()}`;
  await engine.expectPodman('volume', 'create', name);
  onTestFinished(async () => void (await engine.podman('volume', 'rm', '--force', name)));
  return `${name}:/var/lib/miftah`;
}

/** The image in simulator mode, with a volume of the test. */
export async function simulatorPlan(
  built: Built,
): Promise<ContainerPlan & { readonly origin: string }> {
  const port = String(await findFreePort());
  const settings = {
    HOST: '127.0.0.1',
    PORT: port,
    METRICS_PORT: String(await findFreePort()),
    PROVIDER: 'simulator',
    ALLOW_SIMULATOR: 'yes',
  };
  const volumes = [await volumeOf(built)];
  return { image: built.image, settings, volumes, origin: `http://127.0.0.1:${port}` };
}
