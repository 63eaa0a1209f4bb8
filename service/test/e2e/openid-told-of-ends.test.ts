import { decodeJwt } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { keepLogouts } from '../support/openid/logout-receiver.ts';
import { applicationsOf, SSO_CLIENTS } from '../support/openid/sso-scene.ts';
import { plainReceiver } from '../support/outbound/receiver.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { findFreePort, spawnService, startService } from '../support/programs/service-process.ts';

it('a client that was away is told of a disabled person by the service that starts after a kill', async () => {
  const tokens: string[] = [];
  let isAway = true;
  const keep = keepLogouts(tokens);
  const receiver = await plainReceiver((request, answer) => {
    if (isAway) answer.destroy();
    else keep(request, answer);
  }, onTestFinished);
  const backchannel_logout_uri = `http://127.0.0.1:${receiver.port}/logout`;
  const shop = {
    ...SSO_CLIENTS.shop,
    openid: { ...(SSO_CLIENTS.shop.openid as object), backchannel_logout_uri },
  };
  const port = await findFreePort();
  const CLIENTS_FILE = writeClientsFile(temporaryFolder('clients', onTestFinished), [shop]);
  const settings = { OPENID: 'on', STRICT: 'yes', CLIENTS_FILE, ALLOWED_HOSTS: 'localhost' };
  const first = await startService({ port, settings });
  onTestFinished(async () => void (await first.kill()));
  const { claims } = await applicationsOf(first.origin).signIn('shop');
  const { dataDir } = first;
  const all = { ...settings, DATA_DIR: dataDir };
  const said = await runMiftah(['revoke', '--all'], all);
  expect(said).toMatchObject({ code: 0 });
  await expect.poll(receiver.connections).toBeGreaterThan(0);
  await first.kill();
  isAway = false;
  const next = await spawnService({ port, settings, dataDir });
  onTestFinished(async () => void (await next.kill()));
  await expect.poll(() => tokens, { timeout: 40_000 }).toHaveLength(1);
  expect(decodeJwt(tokens[0] ?? '')).toMatchObject({ aud: 'shop', sub: claims['sub'] });
});
