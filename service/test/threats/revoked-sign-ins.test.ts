import { beforeAll, describe, expect, it } from 'vitest';
import { SECOND_MS } from '../../src/values/time.ts';
import { LiveClient, type Answer, type Started } from '../support/live/live-client.ts';
import { answerPush, logIn } from '../support/live/live-login.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { shareRehearsal } from '../support/live/shared-rehearsal.ts';
import { openLive } from '../support/live/live-service.ts';
import { comeBack, launched, signedIn as signInAt } from '../support/live/steps.ts';
import { miftah, runMiftah } from '../support/programs/operator.ts';

const rehearsal = shareRehearsal();
let bank: LiveClient;
beforeAll(() => {
  bank = new LiveClient(rehearsal(), BANK_KEY);
});

/** Each with a person of its own, because a person gets three prompts in ten minutes. */
const FORMS = [
  { form: '--all', person: 'amal', nationalId: '1000001101' },
  { form: '--client', person: 'faisal', nationalId: '1000002201' },
  { form: '--user', person: 'amal', nationalId: '1000001101' },
] as const;
type Form = (typeof FORMS)[number];

const revoke = (...args: string[]) => miftah(rehearsal(), ['revoke', ...args]);

/** A person who has a token, and the options that end what is theirs. */
async function signedIn({ form, person }: Form) {
  const token = await logIn(bank, person);
  const { id } = (await bank.user(token)).data;
  const options = { '--all': ['--all'], '--client': ['--client', 'bank'], '--user': ['--user'] };
  return [...options[form], ...(form === '--user' ? [String(id)] : [])];
}

const shown = ({ status, code }: Answer) => `${status} ${code}`;
const statusOf = async (started: Started) => (await bank.status(started)).data['status'];
const ENDED = '409 attempt.failed';
const ENDED_ONE = /^Ended \d tokens? and 1 sign-in\.\n$/;

describe('threat 100: a revocation, and what is under way', () => {
  it.each(FORMS)(
    '$form: a sign-in by phone that is approved afterwards gives no token',
    async (one) => {
      const options = await signedIn(one);
      const started = await bank.startPhone(one.nationalId);
      const { out } = await revoke(...options);
      expect(out).toMatch(ENDED_ONE);
      expect(await statusOf(started)).toBe('failed');
      await answerPush(rehearsal(), bank, started);
      expect(shown(await bank.confirm(started))).toBe(ENDED);
      expect(shown(await bank.redeem(started))).toBe(ENDED);
    },
  );

  it.each(FORMS)('$form: a browser that comes back afterwards brings no code', async (one) => {
    const options = await signedIn(one);
    const started = await bank.startRedirect();
    const browser = new PersonBrowser();
    const page = await browser.launch(started.authorization_url);
    const { out } = await revoke(...options);
    // Whose it is, nobody knows before the return.
    const isKnown = one.form !== '--user';
    expect(out).toMatch(isKnown ? ENDED_ONE : /^Ended \d tokens? and 0 sign-ins\.\n$/);
    expect(await statusOf(started)).toBe(isKnown ? 'failed' : 'pending');
    const visit = await browser.open(await browser.returnFrom(page, one.person));
    expect([visit.status, visit.location]).toEqual([404, null]);
    expect(await statusOf(started)).toBe('failed');
    expect(shown(await bank.redeem(started, { completion_code: 'A'.repeat(43) }))).toBe(ENDED);
    expect(await logIn(bank, one.person)).toMatch(/^mft_/);
  });

  it.each(FORMS)('$form: a code that was brought before is exchanged for nothing', async (one) => {
    const options = await signedIn(one);
    const started = await bank.startRedirect();
    const back = await new PersonBrowser().signIn(started.authorization_url, one.person);
    expect((await revoke(...options)).out).toMatch(ENDED_ONE);
    const code = { completion_code: back.searchParams.get('completion_code') };
    expect(shown(await bank.redeem(started, code))).toBe(ENDED);
  });

  it('--user: somebody else whose sign-in was under way goes on', async () => {
    const options = await signedIn(FORMS[2]);
    const started = await bank.startRedirect();
    const browser = new PersonBrowser();
    const page = await browser.launch(started.authorization_url);
    await revoke(...options);
    const visit = await browser.open(await browser.returnFrom(page, 'faisal'));
    const code = { completion_code: visit.location?.searchParams.get('completion_code') };
    expect((await bank.redeem(started, code)).status).toBe(200);
  });

  it('--user: also what began by the clock of a service that is ahead of the command’s', async () => {
    // The machine's clock was set back: the service keeps its time, the command has the machine's.
    const scene = await openLive({ startsAt: Date.now() + 20 * SECOND_MS });
    const first = await scene.bank.startRedirect();
    const code = await signInAt(scene, first);
    const { user } = (await scene.bank.redeem(first, { completion_code: code })).data;
    const started = await scene.bank.startRedirect();
    const browser = await launched(started);
    const { id } = user as { id: number };
    const { out } = await runMiftah(['revoke', '--user', String(id)], scene.settings);
    expect(out).toBe('Ended 1 token and 0 sign-ins.\n');
    scene.provider.approve(started.attempt_id);
    expect((await comeBack(scene, started, browser)).location).toBeNull();
    expect((await scene.bank.status(started)).data['status']).toBe('failed');
  });

  it('whoever waits for the end is told within seconds', async () => {
    const started = await bank.startRedirect();
    const waiting = bank.get(`/status/${started.attempt_id}?wait=25`, {
      'x-provider-attempt-token': started.attempt_token,
    });
    await revoke('--all');
    expect((await waiting).data['status']).toBe('failed');
  });

  it('what is not known is named, and what is known and has nothing is not', async () => {
    expect(await revoke('--client', 'shop')).toMatchObject({ code: 0, err: '' });
    expect(await revoke('--client', 'shpo')).toMatchObject({
      code: 1,
      err: 'No application "shpo" is known: it is not in the clients file, and had nothing to end.\n',
    });
    expect(await revoke('--user', '999999')).toMatchObject({
      code: 1,
      err: 'There is no user 999999.\n',
    });
  });
});
