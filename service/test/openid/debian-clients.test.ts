import { spawnSync } from 'node:child_process';
import { testIds } from '@miftah/pages';
import { describe, expect, it } from 'vitest';
import { openTab } from '../../../scripts/browser.ts';
import { hasTools } from '../../../scripts/debian.mjs';
import {
  apacheBefore,
  GO,
  openBackEnd,
  PYTHON,
  RUBY,
  startIn,
  type Language,
} from '../support/openid/debian-application.ts';
import { DOWNSTREAM } from '../support/openid/downstream.ts';
import {
  decideIn,
  IN_OTHER_LANGUAGES,
  shareTried,
  startApplication,
  toldTo,
  triedClients,
} from '../support/openid/tried-client.ts';

/**
 * Libraries of other languages, unchanged, by the configuration of docs/openid.md, and an identity
 * server, in Chromium: `npm run test:clients`.
 */

const CLIENTS = triedClients(IN_OTHER_LANGUAGES);
const PACKAGES = {
  mod_auth_openidc: 'libapache2-mod-auth-openidc',
  Authlib: 'python3-authlib',
  omniauth_openid_connect: 'ruby-omniauth-openid-connect',
  'go-oidc': 'golang-github-coreos-go-oidc-dev',
  Laravel: 'php-laravel-framework',
};
const AMAL = { given_name: 'Amal', national_id: '1000001101' };

describe('a client of Debian', { skip: !hasTools('openid') }, () => {
  const { browser, triedOf } = shareTried(CLIENTS);

  it.each(CLIENTS.map(({ library, version }) => [library, version]))(
    '%s has the version that docs/openid.md names: %s',
    (library, version) => {
      const name = PACKAGES[library as keyof typeof PACKAGES];
      const asked = spawnSync('/usr/bin/dpkg-query', ['-W', '-f', '${Version}', name], {
        encoding: 'utf8',
      });
      expect(asked.stdout).toMatch(new RegExp(`^${RegExp.escape(version ?? '')}[.+-]`));
    },
  );

  it.each<[string, Language, string, string, string]>([
    ['Authlib', PYTHON, '/login', '/cb', '/cb'],
    ['omniauth_openid_connect', RUBY, '/auth/miftah', '/auth/miftah/callback', '/auth/failure'],
    ['go-oidc', GO, '/login', '/cb', '/cb'],
  ])('%s', async (library, language, login, callback, failure) => {
    const origin = await startIn(language, triedOf(library));
    await using tab = await openTab(browser());
    await tab.page.goto(`${origin}${login}`);
    await decideIn(tab.page);
    expect(await toldTo(tab.page, `${origin}${callback}?*`)).toMatchObject(AMAL);
    await tab.page.goto(`${origin}${login}`);
    await decideIn(tab.page, 'refuse');
    expect(await toldTo(tab.page, `${origin}${failure}?*`)).toEqual({ error: 'access_denied' });
  });

  it('mod_auth_openidc', async () => {
    const behind = apacheBefore(await openBackEnd());
    const origin = await startIn(behind, triedOf('mod_auth_openidc'));
    await using tab = await openTab(browser());
    await tab.page.goto(`${origin}/private`);
    await decideIn(tab.page);
    expect(await toldTo(tab.page, `${origin}/private`)).toMatchObject(AMAL);
    await tab.page.context().clearCookies();
    await tab.page.goto(`${origin}/private`);
    await decideIn(tab.page, 'refuse');
    await tab.page.getByTestId(testIds.launch).waitFor();
    await decideIn(tab.page);
    expect(await toldTo(tab.page, `${origin}/`)).toMatchObject(AMAL);
  });
});

describe('an identity server that has its people signed in here', () => {
  const { browser, triedOf } = shareTried([DOWNSTREAM]);

  it('tells its own application who they are, and that somebody refused', async () => {
    const { origin } = await startApplication(triedOf('oidc-provider'), '');
    await using tab = await openTab(browser());
    await tab.page.goto(`${origin}/shop`);
    await decideIn(tab.page);
    expect(await toldTo(tab.page, `${origin}/shop/cb?*`)).toMatchObject(AMAL);
    await tab.page.context().clearCookies();
    await tab.page.goto(`${origin}/shop`);
    await decideIn(tab.page, 'refuse');
    expect(await toldTo(tab.page, `${origin}/shop/cb?*`)).toEqual({ error: 'access_denied' });
  });
});
