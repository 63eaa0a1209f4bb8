import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { LiveClient } from '../../../service/test/support/live/live-client.ts';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { builtBeforeTests } from '../support/image/built-image.ts';
import { containerForTest, type ContainerPlan } from '../support/image/container.ts';
import { rightsOf, RIGHTS } from '../support/image/rights.ts';

/** The image in simulator mode, with the rights that docs/containers.md gives to a container. */

const isHere = hasTools('image');

describe('a container of the image', () => {
  const built = builtBeforeTests();

  async function volume(): Promise<string> {
    const name = `miftah-${randomUUID()}`;
    await built().engine.expectPodman('volume', 'create', name);
    onTestFinished(async () => void (await built().engine.podman('volume', 'rm', '--force', name)));
    return `${name}:/var/lib/miftah`;
  }

  async function simulatorPlan(): Promise<ContainerPlan & { readonly origin: string }> {
    const port = String(await findFreePort());
    const settings = {
      HOST: '127.0.0.1',
      PORT: port,
      METRICS_PORT: String(await findFreePort()),
      PROVIDER: 'simulator',
      ALLOW_SIMULATOR: 'yes',
    };
    return {
      image: built().image,
      settings,
      volumes: [await volume()],
      origin: `http://127.0.0.1:${port}`,
    };
  }

  it('signs in, is healthy, has no right to use, ends with 0, and keeps its data for the next one', async () => {
    if (!isHere) return;
    const plan = await simulatorPlan();
    const first = containerForTest(built().engine);
    await first.start(plan);
    expect(await first.says('Ctrl-C stops it')).toContain('simulator mode');
    expect(await rightsOf(built().engine, first.name)).toEqual(RIGHTS);
    const client = new LiveClient({ service: plan }, null);
    const started = await client.startPhone('1000001101');
    expect((await client.confirm(started)).status).toBe(200);
    const token = String((await client.redeem(started)).data['token']);
    expect(await first.checkHealth()).toEqual({ code: 0, output: '' });
    expect(await first.stop()).toBe(0);

    const second = containerForTest(built().engine);
    await second.start(plan);
    await second.says('Ctrl-C stops it');
    expect((await client.user(token)).data).toMatchObject({ national_id: '1000001101' });
    expect(await second.stop()).toBe(0);
  });

  it('is not healthy while its database is away, and says why', async () => {
    if (!isHere) return;
    const plan = await simulatorPlan();
    const nobody = `postgres://miftah@127.0.0.1:${await findFreePort()}/miftah`;
    const settings = { ...plan.settings, DATABASE_URL: nobody, SECRET_KEY: '5e'.repeat(32) };
    const one = containerForTest(built().engine);
    await one.start({ ...plan, settings });
    await one.says('Ctrl-C stops it');
    const { code, output } = await one.checkHealth();
    expect(code).toBe(1);
    expect(output).toContain('unhealthy');
    expect(await one.inspect('{{json .State.Health.Log}}')).toContain('store.away');
    expect(await one.stop()).toBe(0);
  });

  it('ends with 2 and a list of what is wrong, as the simulator is unless it is allowed', async () => {
    if (!isHere) return;
    const { ALLOW_SIMULATOR: _, ...allowed } = (await simulatorPlan()).settings;
    const { code, output } = await containerForTest(built().engine).run({
      image: built().image,
      settings: { ...allowed, METRICS_PORT: 'many' },
    });
    expect(code).toBe(2);
    expect(output).toContain('METRICS_PORT');
    expect(output).toContain('ALLOW_SIMULATOR');
  });
});
