import { expect, it } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { builtImage } from '../support/image/built-image.ts';
import { containerForTest } from '../support/image/container.ts';
import { sharedEngine } from '../support/image/engine.ts';
import { makePlan, writeSecrets } from '../support/image/live-plan.ts';
import { manifest } from '../support/kubernetes/manifests.ts';

/** The manifests for Kubernetes and the image: what one says, the other has to understand. */

const BUILD_TIMEOUT_MS = 900_000;
const DATABASE_URL = 'postgres://miftah:a-password-of-a-test@db.example/miftah?sslmode=verify-full';

function readSettings(): Readonly<Record<string, string>> {
  return manifest('ConfigMap', 'miftah-settings').data ?? {};
}

it(
  'the image takes the settings of the manifests, with secrets and clients at their places',
  { timeout: BUILD_TIMEOUT_MS },
  async () => {
    if (!hasTools('image')) return;
    const engine = sharedEngine();
    const image = await builtImage(engine);
    const plan = await makePlan();
    const volumes = writeSecrets(plan, {
      'secret-key': plan.secretKey,
      'database-url': DATABASE_URL,
      'provider-app-id': 'an-id-of-a-test',
      'provider-app-key': 'a-key-of-a-test',
    });
    const { code, output } = await containerForTest(engine).run({
      image,
      settings: readSettings(),
      volumes,
      command: ['start', '--show-config'],
    });
    expect(code, output).toBe(0);
    for (const [name, value] of Object.entries(readSettings())) {
      if (name !== 'NODE_ENV') expect(output).toContain(`${name}=${value}`);
    }
    expect(output).not.toMatch(/of-a-test/);
  },
);
