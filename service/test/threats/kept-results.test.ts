import { describe, expect, it, onTestFinished } from 'vitest';
import { openBuilt } from '../support/live/live-service.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { resultOf, rotateTwice, signedBy, somebody, statusOf } from '../support/live/rotations.ts';
import { bringPush, codeOf, exchangesOf, launched, returnUrl } from '../support/live/steps.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { openListening } from '../support/service/listening-service.ts';

const WAITING = { interval: 50 };

/** What a start has said that an operator would look at, but for settings of the tests' server. */
function troublesIn(log: string): readonly unknown[] {
  const lines = log.split('\n').filter((line) => line.startsWith('{'));
  const said = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  return said.filter(
    ({ level, msg }) => level >= 40 && !/^(?:fsync|synchronous_commit) /.test(msg),
  );
}

/**
 * The first is a program of its own, and the second is in this process, so that nothing but the store
 * knows of what waits for its key.
 */
describe('threat 108: what is kept for a key that can not be known yet', () => {
  it('is there after a kill, and verified by the next start', async () => {
    const scene = await openBuilt();
    await rotateTwice(scene);
    const started = await scene.bank.startPhone(somebody());
    expect((await bringPush(scene, resultOf(scene, started, 'second'))).status).toBe(503);
    const browsed = await scene.bank.startRedirect();
    const browser = await launched(browsed);
    const { attempt_id: id } = browsed;
    const { provider, service, settings } = scene;
    provider.tell(id, signedBy(scene, 'second', provider.redirectClaims(id)));
    expect((await browser.open(returnUrl(scene, browsed))).status).toBe(503);
    await service.kill();
    const { port, dataDir } = service;
    await openListening({ port, dataDir, settings });
    await expect.poll(() => statusOf(scene, started), WAITING).toBe('authenticated');
    const code = codeOf(await browser.open(returnUrl(scene, browsed)));
    expect((await scene.bank.redeem(browsed, { completion_code: code })).status).toBe(200);
    expect(exchangesOf(scene, browsed)).toBe(1);
  });

  it('is verified by another instance, whose keys may be asked for', async () => {
    const url = await emptyDatabase(onTestFinished);
    const scene = await openBuilt({ settings: { DATABASE_URL: url } });
    expect(troublesIn(scene.log())).toEqual([]);
    await rotateTwice(scene);
    const browsed = await scene.bank.startRedirect();
    const browser = await launched(browsed);
    const { attempt_id: id } = browsed;
    const { provider, settings } = scene;
    provider.tell(id, signedBy(scene, 'second', provider.redirectClaims(id)));
    const back = new URL(returnUrl(scene, browsed));
    expect((await browser.open(back)).status).toBe(503);
    const started = await scene.bank.startPhone(somebody());
    expect((await bringPush(scene, resultOf(scene, started, 'second'))).status).toBe(503);
    const other = await openListening({ settings });
    await expect.poll(() => statusOf(scene, started), WAITING).toBe('authenticated');
    back.host = new URL(other.origin).host;
    const code = codeOf(await browser.open(back));
    const bank = new LiveClient({ service: other }, BANK_KEY);
    expect((await bank.redeem(browsed, { completion_code: code })).status).toBe(200);
    expect(exchangesOf(scene, browsed)).toBe(1);
  });
});
