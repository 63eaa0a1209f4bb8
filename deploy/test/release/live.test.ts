import { chownSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeAll, expect, test } from 'vitest';
import { originsOf, serviceSettings, simulatorSettings } from '../../../scripts/rehearsal.ts';
import { LiveClient } from '../../../service/test/support/live/live-client.ts';
import { logIn } from '../../../service/test/support/live/live-login.ts';
import { BANK_KEY, CLIENTS } from '../../../service/test/support/live/rehearsal.ts';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { builtRelease, BUILD_LIMIT_MS } from '../support/release/built-release.ts';
import { NOBODY, ReleaseProcess } from '../support/release/release-process.ts';
import { ownFolder } from '../support/release/tree.ts';

/** A release for live mode: without simulator, reader of the API and builder of queries. */

beforeAll(async () => {
  await builtRelease('full');
  await builtRelease('live');
}, BUILD_LIMIT_MS);

async function rehearsed(folder: string) {
  const servicePort = await findFreePort();
  const simulatorPort = await findFreePort();
  const clients = Object.values(CLIENTS);
  const plan = { servicePort, simulatorPort, folder, secretKey: '5e'.repeat(32), clients };
  const service = serviceSettings(plan);
  if (process.getuid?.() === 0) chownSync(service['CLIENTS_FILE'] ?? '', NOBODY, NOBODY);
  const settings = { ...service, DATA_DIR: join(folder, 'data'), DRAIN_TIME: '0s' };
  return { settings, simulator: simulatorSettings(plan), origins: originsOf(plan) };
}

test('is ready without the three, and signs a person in', async () => {
  const folder = ownFolder();
  try {
    const { settings, simulator, origins } = await rehearsed(folder);
    const [full, live] = [await builtRelease('full'), await builtRelease('live')];
    const provided = { settings: { ...simulator, DATA_DIR: join(folder, 'simulator') } };
    await using provider = new ReleaseProcess(full, ['miftah-simulator'], provided);
    await using service = new ReleaseProcess(live, ['miftah', 'start'], { settings });
    await provider.ready(origins.simulator);
    await service.ready(origins.service);
    const client = new LiveClient({ service: { origin: origins.service } }, BANK_KEY);
    const user = await client.user(await logIn(client));
    expect(user.status).toBe(200);
    expect((await service.stop()).code).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const READER =
  'the API reader at /docs needs @scalar/fastify-api-reference, which is not installed';
const SIMULATOR = 'simulator mode needs @miftah/simulator, which is not installed';

test.each([
  ['the reader', true, READER],
  ['the simulator', false, SIMULATOR],
])('says that %s is missing, before it writes anything', async (_, isLive, message) => {
  const folder = ownFolder();
  try {
    const { settings } = await rehearsed(folder);
    const { DATA_DIR } = settings;
    const start = { settings: isLive ? { ...settings, DOCS: 'on' } : { DATA_DIR } };
    await using service = new ReleaseProcess(
      await builtRelease('live'),
      ['miftah', 'start'],
      start,
    );
    const { code, err } = await service.ended;
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
    expect(existsSync(DATA_DIR)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
