import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { share } from '../support/at-end.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import { startPush } from '../support/openid/ciba.ts';
import {
  ask,
  discovered,
  exchange,
  LASTING,
  OPENID_CLIENTS,
  openidBrowser,
  openStrictOpenid,
  PORTAL_KEY,
  signedIn,
  wayBack,
  type Asked,
} from '../support/openid/openid-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';
import { outcomeNumber } from '../support/service/outcome-number.ts';

/** The day of birth, which a client gets by a scope of its own (OpenID Connect Core 1.0, section 5.1). */

const scene = share((atEnd) => openStrictOpenid(atEnd, Object.values(OPENID_CLIENTS)));

const SCOPE = { scope: 'openid birthdate' };
const BORN = '1990-04-12';
const AMAL = '1000001101';

type Tokens = Awaited<ReturnType<typeof exchange>>;

const toldOf = ({ config }: Pick<Asked, 'config'>, tokens: Tokens) =>
  oidc.fetchUserInfo(config, tokens.access_token, String(tokens.claims()?.sub));

async function signIn(parameters: Record<string, string>, person = 'amal') {
  const asked = await ask(scene(), { id: 'portal', parameters });
  const tokens = await exchange(asked, await signedIn(asked, { person }));
  return { asked, tokens, told: await toldOf(asked, tokens) };
}

describe('a client that may know the day of birth', () => {
  it.each([
    ['amal', BORN],
    ['siobhan', '1995-02-28'],
    ['hanae', '1988-10-17'],
  ])('is told that of %s by its scope, and nothing else of them', async (person, birthdate) => {
    const { tokens, told } = await signIn(SCOPE, person);
    const { sub } = { ...tokens.claims() };
    expect(told).toEqual({ sub, birthdate });
    expect(tokens.claims()).not.toHaveProperty('birthdate');
  });

  it.each([['userinfo'], ['id_token']])('is told it by the claim alone, in %s', async (where) => {
    const claims = JSON.stringify({ [where]: { birthdate: { essential: true } } });
    const { tokens, told } = await signIn({ claims });
    expect(where === 'userinfo' ? told : tokens.claims()).toMatchObject({ birthdate: BORN });
    expect(where === 'userinfo' ? tokens.claims() : told).not.toHaveProperty('birthdate');
  });

  it('is told it of a sign-in on the phone', async () => {
    const parameters = { ...SCOPE, login_hint: AMAL };
    const asked = await ask(scene(), { id: 'portal', isPushed: true, parameters });
    const browser = openidBrowser();
    const shown = await browser.follow(
      await browser.press(await browser.follow(await browser.open(asked.url))),
    );
    await decideOnPhoneOf({ provider: scene().origin }, AMAL);
    const backs: (URL | null)[] = [];
    await expect
      .poll(async () => {
        backs.push((await wayBack(browser, asked, shown.url)).location);
        return backs.at(-1)?.href;
      })
      .toContain('code=');
    const tokens = await exchange(asked, backs.at(-1) ?? asked.url);
    expect(await toldOf(asked, tokens)).toMatchObject({ birthdate: BORN });
  });

  it('is told it of a sign-in without a browser', async () => {
    const config = await discovered(scene().origin, 'portal', oidc.ClientSecretBasic(PORTAL_KEY));
    const push = await startPush(config, { ...SCOPE, login_hint: AMAL });
    await decideOnPhoneOf({ provider: scene().origin }, AMAL);
    const tokens = await push.end();
    expect(await toldOf({ config }, tokens)).toMatchObject({ birthdate: BORN });
  });

  it('is not told it where it has not asked for it', async () => {
    const { told } = await signIn({ scope: 'openid profile email national_id' });
    expect(told).toMatchObject({ given_name: 'Amal' });
    expect(told).not.toHaveProperty('birthdate');
  });

  it('knows it as long as it has the person', async () => {
    const parameters = { ...LASTING, scope: `${LASTING.scope} birthdate` };
    const { asked, tokens } = await signIn(parameters);
    const next = await oidc.refreshTokenGrant(asked.config, String(tokens.refresh_token));
    expect(await toldOf(asked, next)).toMatchObject({ birthdate: BORN });
    const less = await oidc.refreshTokenGrant(asked.config, String(next.refresh_token), {
      scope: 'openid profile',
    });
    expect(await toldOf(asked, less)).not.toHaveProperty('birthdate');
  });

  it.each(['disabled', 'erased'])('is told nothing of somebody who was %s', async (how) => {
    const own = await openStrictOpenid(onTestFinished, [OPENID_CLIENTS.portal]);
    const parameters = { ...LASTING, scope: `${LASTING.scope} birthdate` };
    const asked = await ask(own, { id: 'portal', parameters });
    const tokens = await exchange(asked, await signedIn(asked));
    const store = await openStoreBeside(own.service);
    const user = await store.findSubject(String(tokens.claims()?.sub));
    if (user === null) throw new Error('nobody has this sub');
    const at = Date.now();
    if (how === 'disabled') await store.disableUser(user.id, at);
    else await store.eraseUser({ userId: user.id, at, pushesOf: [], keepsOut: null });
    await expect(toldOf(asked, tokens)).rejects.toMatchObject({ status: 401 });
    const next = oidc.refreshTokenGrant(asked.config, String(tokens.refresh_token));
    await expect(next).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

it('where the provider says none, there is none, and the sign-in goes on', async () => {
  const own = await openStrictOpenid(onTestFinished, [OPENID_CLIENTS.portal]);
  const config = await discovered(own.origin, 'portal', oidc.ClientSecretBasic(PORTAL_KEY));
  // Who approves, and whose token has a number and a nationality alone.
  const login_hint = outcomeNumber('result_without_names');
  const push = await startPush(config, { ...SCOPE, login_hint });
  const tokens = await push.end();
  expect(Object.keys(await toldOf({ config }, tokens))).toEqual(['sub']);
});

it('discovery lists the scope and the claim', async () => {
  const { config } = await ask(scene(), { id: 'portal' });
  const { scopes_supported, claims_supported } = config.serverMetadata();
  expect(scopes_supported).toContain('birthdate');
  expect(claims_supported).toContain('birthdate');
});
