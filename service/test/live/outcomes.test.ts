import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wordingOf } from '../../src/errors/wording.ts';
import { until } from '../support/programs/until.ts';
import { LiveClient, type Started } from '../support/live/live-client.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';

/**
 * The reserved numbers with unusual signed results, over the network: attempts end as in simulator
 * mode (test/api/outcomes.test.ts).
 */

let rehearsal: OpenedRehearsal;
beforeAll(async () => void (rehearsal = await openRehearsal()));
afterAll(async () => rehearsal[Symbol.asyncDispose]());

const start = (number: number) =>
  new LiveClient(rehearsal, BANK_KEY).startPhone(`19000000${number}`);

/** Waits until an attempt is no longer pending. @returns its status */
async function endOf(started: Started, at: OpenedRehearsal = rehearsal) {
  const bank = new LiveClient(at, BANK_KEY);
  let data = (await bank.status(started)).data;
  await until(async () => {
    data = (await bank.status(started)).data;
    return data['status'] !== 'pending';
  });
  return data;
}

describe('the signed result of a push', () => {
  it.each([
    [40, 'comes twice'],
    [41, 'comes before the answer to the start'],
    [60, 'is of somebody with a lower level'],
  ])('%i %s, and signs in', async (number) => {
    const started = await start(number);
    expect(await endOf(started)).toMatchObject({ status: 'authenticated' });
    const issued = await new LiveClient(rehearsal, BANK_KEY).redeem(started);
    expect(issued.data).toMatchObject({ user: { national_id: `19000000${number}` } });
  });

  it('14 is a refusal that names the person, which lets nobody in', async () => {
    const started = await start(14);
    expect(await endOf(started)).toMatchObject({ status: 'rejected', user: null });
  });

  it('61 has no name, and signs in', async () => {
    const started = await start(61);
    expect(await endOf(started)).toMatchObject({ status: 'authenticated' });
    const { data } = await new LiveClient(rehearsal, BANK_KEY).redeem(started);
    expect(data).toMatchObject({ user: { national_id: '1900000061', name: '', gender: 'X' } });
  });

  it('53 names another person, which fails the attempt', async () => {
    const { message } = wordingOf('provider.mismatch', 'en');
    expect(await endOf(await start(53))).toMatchObject({ status: 'failed', message });
  });

  it.each([50, 51, 52, 54])('%i proves nothing, and ends nothing', async (number) => {
    const refused = () => rehearsal.simulator.log().split('a callback was not accepted').length;
    const before = refused();
    const started = await start(number);
    await until(() => refused() > before);
    const { data } = await new LiveClient(rehearsal, BANK_KEY).status(started);
    expect(data).toMatchObject({ status: 'pending', user: null });
  });
});

describe('the signed result at the expiry of a push', () => {
  it('ends the attempt before its own time', async () => {
    await using short = await openRehearsal({ simulatorSettings: { SERVICES: 'Login:2' } });
    const started = await new LiveClient(short, BANK_KEY).startPhone('1900000044');
    await until(async () => (await prompts(short)).length === 0);
    expect(await endOf(started, short)).toMatchObject({ status: 'expired', user: null });
  });
});

async function prompts({ origins }: OpenedRehearsal): Promise<readonly unknown[]> {
  const answer = await fetch(`${origins.simulator}/simulator/prompts`);
  return ((await answer.json()) as { data: unknown[] }).data;
}
