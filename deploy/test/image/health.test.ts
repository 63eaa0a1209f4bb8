import { describe, expect, it } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { builtBeforeTests } from '../support/image/built-image.ts';
import { containerForTest } from '../support/image/container.ts';
import { simulatorPlan } from '../support/image/simulator-plan.ts';

/** The health of a container that can't work. One that works: run.test.ts. */

const isHere = hasTools('image');

describe('a container of the image', () => {
  const built = builtBeforeTests();

  it('is not healthy while its database is away, and says why', async () => {
    if (!isHere) return;
    const plan = await simulatorPlan(built());
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
});
