import * as oidc from 'openid-client';
import { expect, it, onTestFinished } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import { rehearse } from '../support/live/rehearsal.ts';
import { errorOf, startPush } from '../support/openid/ciba.ts';
import {
  ask,
  beginIn,
  discovered,
  exchange,
  LASTING,
  OPENID_CLIENTS,
  openidBrowser,
  PORTAL_KEY,
  wayBack,
} from '../support/openid/openid-scene.ts';

/**
 * Sign-ins in live mode whose service is killed after every step, or after some in `npm test`: of a
 * sign-in by phone between the approval and the tokens. What it has answered is kept.
 */

const AMAL = '1000001101';
const BORN = '1990-04-12';
const WISHES = { ...LASTING, scope: `${LASTING.scope} birthdate` };
/** The second step is killed, and then each that comes so many later. */
const STEPS_BETWEEN = atLength(1, 3);

async function startKillable() {
  const rehearsal = await rehearse({
    clients: [OPENID_CLIENTS.portal],
    settings: { OPENID: 'on', ALLOWED_HOSTS: 'localhost' },
  });
  onTestFinished(() => rehearsal[Symbol.asyncDispose]());
  let now = rehearsal.service;
  let steps = 0;
  return {
    ...rehearsal.origins,
    killed: async <Answer>(step: Promise<Answer>): Promise<Answer> => {
      const answer = await step;
      steps += 1;
      if ((steps - 2) % STEPS_BETWEEN !== 0) return answer;
      await now.kill();
      now = await rehearsal.spawnAgain();
      await now.ready();
      return answer;
    },
  };
}

const endOf = async (step: Promise<unknown>) => errorOf((await Promise.allSettled([step]))[0]);

it('with code: the tokens come once, and end together when it is used again', async () => {
  const { service: origin, killed } = await startKillable();
  const browser = openidBrowser();
  const scene = { origin } as Parameters<typeof ask>[0];
  const asked = await killed(ask(scene, { id: 'portal', isPushed: true, parameters: WISHES }));
  const page = await killed(beginIn(browser, asked));
  const launched = await killed(browser.press(page));
  const prompt = await killed(browser.follow(launched));
  const decided = await killed(browser.press(prompt, { person: 'amal', decision: 'approve' }));
  const handed = await killed(browser.press(decided));
  const returned = handed.location ?? new URL(origin);
  const { location } = await killed(wayBack(browser, asked, returned));
  const back = location ?? new URL(origin);
  const tokens = await killed(exchange(asked, back));
  const renewed = await killed(oidc.refreshTokenGrant(asked.config, tokens.refresh_token ?? ''));
  const { sub = '' } = tokens.claims() ?? {};
  const person = await oidc.fetchUserInfo(asked.config, renewed.access_token, sub);
  expect(person).toMatchObject({ sub, given_name: 'Amal', birthdate: BORN });
  expect(await killed(endOf(exchange(asked, back)))).toBe('invalid_grant');
  const after = oidc.refreshTokenGrant(asked.config, renewed.refresh_token ?? '');
  expect(await endOf(after)).toBe('invalid_grant');
});

it('without a browser: the tokens come once', async () => {
  const { service: origin, simulator, killed } = await startKillable();
  const config = await discovered(origin, 'portal', oidc.ClientSecretBasic(PORTAL_KEY));
  const push = await killed(
    startPush(config, { scope: 'openid profile birthdate', login_hint: AMAL }),
  );
  await killed(decideOnPhoneOf({ provider: simulator }, AMAL));
  const tokens = await killed(push.end());
  const { sub = '' } = tokens.claims() ?? {};
  const person = await oidc.fetchUserInfo(config, tokens.access_token, sub);
  expect(person).toMatchObject({ given_name: 'Amal', birthdate: BORN });
  expect(await endOf(push.poll())).toBe('invalid_grant');
});
