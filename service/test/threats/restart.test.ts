import { describe, expect, it, onTestFinished } from 'vitest';
import { LiveClient } from '../support/live/live-client.ts';
import { BANK_KEY, rehearse } from '../support/live/rehearsal.ts';
import { answerPush } from '../support/live/live-login.ts';

const PERSON = '1000002201';

describe('threat 6: push bombing with a crash in between', () => {
  it('a refusal cools down after kill -9 as before it', async () => {
    const rehearsal = await rehearse();
    onTestFinished(() => rehearsal[Symbol.asyncDispose]());
    const bank = new LiveClient(rehearsal, BANK_KEY);
    await answerPush(rehearsal, bank, await bank.startPhone(PERSON), 'refuse');
    await rehearsal.service.kill();
    await (await rehearsal.spawnAgain()).ready();
    const again = await bank.start({ national_id: PERSON });
    expect([again.status, again.code]).toEqual([429, 'push.budget_spent']);
    // The refusal came from the budget: the provider has no open prompt any more.
    const prompts = await fetch(`${rehearsal.simulator.origin}/simulator/prompts`);
    expect(await prompts.json()).toEqual({ data: [] });
  });
});
