import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/values/time.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { codeOf, comeBack, launched } from '../support/live/steps.ts';
import { withoutRequestId } from '../support/without-request-id.ts';

const scene = shareOpened();

const LIFETIME_MS = 5 * MINUTE_MS;
const CODE_LIFETIME_MS = 120 * SECOND_MS;

describe('a browser that comes late', () => {
  it('after the attempt has ended it has no launch page, and none that tells why', async () => {
    const { bank, clock } = scene();
    const started = await bank.startRedirect();
    const browser = new PersonBrowser();
    const page = await browser.open(started.authorization_url);
    clock.advance(LIFETIME_MS);
    const pressed = await browser.press(page);
    // The form posts the language of its page.
    const open = (address: string) => browser.open(`${address}&locale=en`);
    const late = await open(started.authorization_url);
    const unknown = await open(started.authorization_url.replace(/.{12}$/, '000000000000'));
    expect([pressed.status, late.status, unknown.status]).toEqual([404, 404, 404]);
    const [first, ...others] = [unknown, pressed, late].map(({ html, headers }) =>
      withoutRequestId(html, headers.get('x-request-id')),
    );
    expect(others).toEqual([first, first]);
  });

  it('after the attempt has ended nothing is exchanged', async () => {
    const { bank, clock, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id);
    const before = provider.received('exchange').length;
    clock.advance(LIFETIME_MS);
    const back = await comeBack(scene(), started, browser);
    expect(back.status).toBe(303);
    expect(back.location?.searchParams.get('error')).toBe('expired_token');
    expect(provider.received('exchange').length).toBe(before);
    expect((await bank.status(started)).data).toMatchObject({ status: 'expired', user: null });
    expect((await bank.redeem(started)).code).toBe('attempt.expired');
  });

  it('with a code of two minutes it is refused, and with a new one let in', async () => {
    const { bank, clock, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id);
    const old = codeOf(await comeBack(scene(), started, browser));
    clock.advance(CODE_LIFETIME_MS);
    const refused = await bank.redeem(started, { completion_code: old });
    expect([refused.status, refused.code]).toEqual([409, 'attempt.completion_required']);
    const fresh = codeOf(await comeBack(scene(), started, browser));
    clock.advance(CODE_LIFETIME_MS - 1);
    expect((await bank.redeem(started, { completion_code: fresh })).status).toBe(200);
  });
});

describe('a status that is asked for often', () => {
  it('asks the provider once for all who wait, and again only after a pause', async () => {
    const { bank, clock, provider } = scene();
    const started = await bank.startPhone('1087950001');
    const ask = () => Promise.all(Array.from({ length: 20 }, () => bank.status(started)));
    await ask();
    expect(provider.received('status')).toHaveLength(1);
    await Promise.all([bank.confirm(started), bank.redeem(started)]);
    clock.advance(2 * SECOND_MS - 1);
    await ask();
    expect(provider.received('status')).toHaveLength(1);
    clock.advance(1);
    await ask();
    expect(provider.received('status')).toHaveLength(2);
  });
});
