import { afterEach, describe, expect, it } from 'vitest';
import { answerPush } from '../support/live/live-login.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { shareRehearsal } from '../support/live/shared-rehearsal.ts';

/**
 * `PUT /simulator/faults` of the stand-alone simulator, as an application of a service in live mode
 * meets it: the same codes as in simulator mode (test/api/faults.test.ts).
 */

const rehearsal = shareRehearsal();
const bank = () => new LiveClient(rehearsal(), BANK_KEY);

async function setFaults(...faults: object[]): Promise<void> {
  const answer = await fetch(`${rehearsal().simulator.origin}/simulator/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ faults }),
  });
  expect(answer.status).toBe(200);
}
afterEach(async () => setFaults());

/** How many calls have met the first fault. */
async function hits(): Promise<number> {
  const answer = await fetch(`${rehearsal().simulator.origin}/simulator/faults`);
  const { data } = (await answer.json()) as { data: { hits: number }[] };
  return data[0]?.hits ?? 0;
}

describe('a start in live mode', () => {
  it.each([
    [{ status: 503 }, 'provider.unavailable'],
    [{ status: 403 }, 'provider.misconfigured'],
    [{ answer: 'malformed' }, 'provider.bad_response'],
    [{ answer: 'cut' }, 'provider.unavailable'],
  ])('by browser that meets %o: %s, and the next one goes on', async (fault, code) => {
    await setFaults({ operation: 'session', ...fault });
    expect((await bank().start({})).code).toBe(code);
    await setFaults();
    await bank().startRedirect();
  });

  it.each([
    [{ status: 503 }, 'provider.unavailable', '1000001101'],
    [{ status: 403 }, 'provider.misconfigured', '1000003301'],
    [{ record: '422-016-023' }, 'provider.record_not_found', '1000004401'],
    [{ answer: 'malformed' }, 'provider.bad_response', '2000005501'],
    [{ answer: 'cut' }, 'provider.timeout', '2000006601'],
  ])('by phone that meets %o: %s', async (fault, code, national_id) => {
    await setFaults({ operation: 'mfa_request', ...fault });
    expect((await bank().start({ national_id })).code).toBe(code);
  });
});

describe('a sign-in in live mode', () => {
  it('by phone ends well while no status can be read', async () => {
    await setFaults({ operation: 'mfa_status', status: 500 });
    const started = await bank().startPhone('1000002201');
    expect((await bank().status(started)).data).toMatchObject({ status: 'pending' });
    expect(await hits()).toBeGreaterThan(0);
    await answerPush(rehearsal(), bank(), started);
    expect((await bank().redeem(started)).status).toBe(200);
  });

  it.each([
    [{ answer: 'malformed' }, 'failed'],
    [{ record: '401-033-024' }, 'rejected'],
  ])('by browser whose exchange meets %o has %s', async (fault, ends) => {
    const browser = new PersonBrowser();
    const started = await bank().startRedirect();
    await setFaults({ operation: 'exchange', ...fault });
    await browser.signIn(started.authorization_url, 'amal').catch(() => 'not led back');
    const { data } = await bank().status(started);
    expect(data).toMatchObject({ status: ends, user: null });
  });
});
