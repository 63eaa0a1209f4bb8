import { describe, expect, it } from 'vitest';
import { serviceSettings } from '../../../scripts/rehearsal.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { share } from '../support/at-end.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { logIn } from '../support/live/live-login.ts';
import { openRehearsal } from '../support/live/shared-rehearsal.ts';
import { openListening, refusalOf } from '../support/service/listening-service.ts';

const rehearsal = share(async (atEnd) => {
  const opened = await openRehearsal();
  atEnd(async () => opened[Symbol.asyncDispose]());
  return opened;
});

describe('threat 3: what was issued in a rehearsal, at a live service', () => {
  it('its tokens are marked, and refused', async () => {
    const bank = new LiveClient(rehearsal(), BANK_KEY);
    const token = await logIn(bank);
    expect(token).toMatch(/^mft_test_/);
    expect((await bank.user(token)).status).toBe(200);
    const { plan } = rehearsal();
    const port = await findFreePort();
    // A real provider that is down: the service runs, but nobody can sign in.
    const settings = { RATE_LIMITS: 'on', ALLOW_SIMULATOR: '', PROVIDER_URL: 'http://127.0.0.1:9' };
    const service = await openListening({
      port,
      settings: { ...serviceSettings({ ...plan, servicePort: port }), ...settings },
    });
    const live = new LiveClient({ service }, BANK_KEY);
    const refused = await live.user(token);
    expect([refused.status, refused.code]).toEqual([401, 'token.invalid']);
    expect(refused.headers.get('x-auth-mode')).toBe('live');
    const started = await live.start({});
    expect([started.status, started.code]).toEqual([503, 'provider.unavailable']);
  });

  it('its store is refused to a live service, and to the simulator', async () => {
    const { service } = rehearsal();
    await service.stop();
    const live = { ALLOW_SIMULATOR: '', PROVIDER_URL: 'http://127.0.0.1:9' };
    const noLive = { PROVIDER_URL: '', PROVIDER_APP_ID: '', PROVIDER_APP_KEY: '' };
    for (const other of [live, { PROVIDER: 'simulator', ...noLive }]) {
      expect(await refusalOf({ ...service.settings, ...other })).toContain('mode rehearsal');
    }
  });
});
