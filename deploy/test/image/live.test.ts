import { beforeAll, describe, expect, it } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { originsOf, simulatorSettings, type RehearsalPlan } from '../../../scripts/rehearsal.ts';
import { LiveClient } from '../../../service/test/support/live/live-client.ts';
import { logIn } from '../../../service/test/support/live/live-login.ts';
import { BANK_KEY } from '../../../service/test/support/live/rehearsal.ts';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { BUILD_TIMEOUT_MS, builtBeforeTests, builtImage } from '../support/image/built-image.ts';
import { containerForTest } from '../support/image/container.ts';
import { makePlan, mountSecrets } from '../support/image/live-plan.ts';

/** The image for live mode, with a simulator as its provider in a container of the full image. */

const NODE = '/opt/miftah/bin/node';
const MIFTAH = '/opt/miftah/lib/node_modules/miftah/bin/miftah.mjs';
const SIMULATOR = '/opt/miftah/lib/node_modules/@miftah/simulator/bin/miftah-simulator.mjs';

const isHere = hasTools('image');

describe('live mode in a container', () => {
  const built = builtBeforeTests();
  let image: string;
  beforeAll(async () => {
    if (isHere) image = await builtImage(built().engine, 'live');
  }, BUILD_TIMEOUT_MS);

  async function startSimulator(plan: RehearsalPlan): Promise<void> {
    const one = containerForTest(built().engine);
    await one.start({
      image: built().image,
      entrypoint: [NODE, SIMULATOR],
      settings: { ...simulatorSettings(plan), HOST: '127.0.0.1', ALLOW_SIMULATOR: 'yes' },
      volumes: [`${one.name}:/var/lib/miftah`],
    });
    await one.says(originsOf(plan).simulator);
  }

  it('signs in with secrets from files, which nothing of the engine shows', async () => {
    if (!isHere) return;
    const plan = await makePlan();
    await startSimulator(plan);
    const { settings, volumes, written } = mountSecrets(plan);
    const service = containerForTest(built().engine);
    await service.start({
      image,
      settings: {
        ...settings,
        HOST: '127.0.0.1',
        METRICS_PORT: String(await findFreePort()),
        AUDIT_HEAD_FILE: '/var/lib/miftah-head/audit-head',
      },
      volumes: [
        ...volumes,
        `${service.name}:/var/lib/miftah`,
        `${service.name}-head:/var/lib/miftah-head`,
      ],
    });
    await service.says('Ctrl-C stops it');
    const origin = originsOf(plan).service;
    const token = await logIn(new LiveClient({ service: { origin } }, BANK_KEY));
    expect(token).toMatch(/^mft_test_/);
    expect(await service.checkHealth()).toEqual({ code: 0, output: '' });
    const absent = await built().engine.podman('exec', service.name, NODE, SIMULATOR);
    expect(absent.output).toContain('Cannot find module');
    const audit = await built().engine.podman(
      'exec',
      service.name,
      NODE,
      MIFTAH,
      'audit',
      '--verify',
    );
    expect(audit.code, audit.output).toBe(0);
    const shown = await built().engine.expectPodman('inspect', service.name);
    const told = [shown, await service.log(), audit.output].join('\n');
    for (const secret of [...written, BANK_KEY, token]) expect(told).not.toContain(secret);
    expect(await service.stop()).toBe(0);
  });
});
