import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { OPERATOR_REFUSALS, RATE_WINDOW_MS } from '../../src/values/limits.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { certify } from '../support/certificate.ts';
import { openidBrowser } from '../support/openid/openid-scene.ts';
import {
  Operator,
  returnOf,
  sharePeopleScene,
  signInAtProvider,
} from '../support/operator/operator-scene.ts';
import { diagnosisIn, severityOf } from '../support/programs/diagnosis.ts';
import { runMiftah } from '../support/programs/operator.ts';

/** Operators who sign in at an OpenID provider of their own. */

const scene = sharePeopleScene();

// Sign-ins are counted by address, and all of these come from one.
beforeEach(() => scene().clock.advance(RATE_WINDOW_MS));

async function actorsOf(action: string): Promise<string[]> {
  const { out } = await runMiftah(['audit', '--json', '--action', action], scene().settings);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { actor: string }).actor);
}

/** With a certificate that nobody has issued. */
async function untrustedServer(): Promise<string> {
  const { certificateFile, keyFile } = certify(temporaryFolder('untrusted'), 'own', 'localhost');
  const server = createServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

/** The subject of somebody, whom a first sign-in without a role has put into the audit log. */
async function subjectOf(person: string): Promise<string> {
  scene().give({});
  const { status } = await signInAtProvider(scene(), openidBrowser(), person);
  expect(status).toBe(403);
  return (await actorsOf('operator.refused')).at(-1)?.replace('operator:', '') ?? '';
}

async function signedIn(person = 'amal'): Promise<Operator> {
  const browser = openidBrowser();
  const { status } = await signInAtProvider(scene(), browser, person);
  expect(status).toBe(200);
  return new Operator(scene().pages, browser);
}

describe('threat 133: the sign-in of an operator is taken over', () => {
  it('a return in another browser, without its cookie or for the second time signs in nobody', async () => {
    const subject = await subjectOf('amal');
    scene().give({ subjects: { [subject]: 'admin' } });
    const [victim, attacker, empty] = [1, 2, 3].map(() => openidBrowser());
    if (victim === undefined || attacker === undefined || empty === undefined) return;
    const stolen = await returnOf(scene().pages, victim);
    // The attacker has begun a sign-in of their own.
    await attacker.open(`${scene().pages}/operator/sign-in`);
    for (const browser of [attacker, empty]) {
      const { status } = await browser.open(stolen);
      expect([status, browser.cookies.has('miftah_operator')]).toEqual([403, false]);
    }
    expect((await victim.open(stolen)).status).toBe(200);
    const cookies = new Map(victim.cookies);
    victim.cookies.delete('miftah_operator');
    expect((await victim.open(stolen)).status).toBe(403);
    expect(cookies.has('miftah_operator_sign_in')).toBe(false);
  });

  it('a return with other values is refused, and the log has nothing of them', async () => {
    const browser = openidBrowser();
    for (const change of [
      { state: 'A'.repeat(43) },
      { code: 'canary-code' },
      { iss: 'http://x' },
    ]) {
      const back = await returnOf(scene().pages, browser);
      for (const [name, value] of Object.entries(change)) back.searchParams.set(name, value);
      expect((await browser.open(back)).status, JSON.stringify(change)).toBe(403);
    }
    expect(scene().log()).not.toContain('canary-code');
    // The library found the state wrong, and the provider the code.
    expect(scene().log()).toMatch(/"reason":"OAUTH_[A-Z_]+"/);
    expect(scene().log()).toContain('"reason":"invalid_grant"');
  });

  it('a return that was not begun in this browser is told in the log', async () => {
    const { status } = await openidBrowser().open(
      `${scene().pages}/operator/return?code=a&state=b`,
    );
    expect(status).toBe(403);
    expect(scene().log()).toContain('"reason":"NOT_BEGUN_HERE"');
  });

  it('a sign-in ends after a quarter of an hour, and comes back in its language', async () => {
    scene().give({ subjects: { [await subjectOf('amal')]: 'viewer' } });
    const begun = await fetch(`${scene().pages}/operator/sign-in?locale=en`, {
      redirect: 'manual',
    });
    expect(begun.headers.get('set-cookie')).toMatch(/; Max-Age=900$/);
    expect(begun.headers.get('location')).toContain('ui_locales=en');
    for (const locale of ['ar', 'en']) {
      const { html } = await signInAtProvider(scene(), openidBrowser(), 'amal', locale);
      expect(html).toContain(`/operator?locale=${locale}`);
    }
  });

  it('a refusal after the return is in the language of the sign-in, and says who has no role', async () => {
    const subject = await subjectOf('amal');
    scene().give({});
    for (const locale of ['ar', 'en']) {
      const { status, html } = await signInAtProvider(scene(), openidBrowser(), 'amal', locale);
      expect(status).toBe(403);
      expect(html).toContain(`<html lang="${locale}"`);
      expect(html.replaceAll('<wbr/>', '')).toContain(`>${subject}</code>`);
    }
    const browser = openidBrowser();
    const back = await returnOf(scene().pages, browser, 'amal', 'en');
    back.searchParams.set('code', 'wrong');
    expect((await browser.open(back)).html).toContain('<html lang="en"');
  });

  it('somebody without a role makes only so many rows in a minute', async () => {
    scene().give({});
    const before = await actorsOf('operator.refused');
    const signIn = () => signInAtProvider(scene(), openidBrowser(), 'faisal');
    for (let index = 0; index < OPERATOR_REFUSALS.quota; index += 1) {
      expect((await signIn()).status).toBe(403);
    }
    expect((await signIn()).status).toBe(429);
    const rows = (await actorsOf('operator.refused')).slice(before.length);
    expect(rows).toHaveLength(OPERATOR_REFUSALS.quota);
    scene().clock.advance(RATE_WINDOW_MS);
    expect((await signIn()).status).toBe(403);
  });

  it('there are no links beside it', async () => {
    const { err, code } = await runMiftah(['operator', 'link'], scene().settings);
    expect([code, err]).toEqual([1, expect.stringContaining('OPERATOR_ISSUER')]);
    const link = `${scene().pages}/operator/link/${'A'.repeat(43)}`;
    expect((await fetch(link)).status).toBe(403);
  });
});

describe('threat 135: a role is read anew at each request', () => {
  it('is that of the file now, and none without one', async () => {
    const subject = await subjectOf('yara');
    scene().give({ subjects: { [subject]: 'admin' } });
    const operator = await signedIn('yara');
    const status = async () => (await operator.open('/operator/clients')).status;
    expect(await status()).toBe(200);
    scene().give({ subjects: { [subject]: 'viewer' }, claim: 'groups' });
    expect(await status()).toBe(403);
    expect((await operator.open('/operator')).status).toBe(200);
    scene().give({ subjects: { somebody: 'admin' } });
    expect((await operator.open('/operator')).status).toBe(403);
    scene().give({ subjects: { [subject]: 'admin' } });
    expect(await status()).toBe(200);
    expect((await actorsOf('operator.signed_in')).at(-1)).toBe(`operator:${subject}`);
  });

  it('a file that says it wrong gives nobody a role', async () => {
    const subject = await subjectOf('amal');
    scene().give({ subjects: { [subject]: 'admin' } });
    const operator = await signedIn();
    for (const wrong of [
      { subjects: { [subject]: 'owner' } },
      { subjects: [subject] },
      { groups: { staff: 'admin' } },
      { subjects: { [subject]: 'admin' }, admins: [] },
    ]) {
      scene().give(wrong);
      const { status, html } = await operator.open('/operator');
      expect([status, html.includes(subject)], JSON.stringify(wrong)).toEqual([500, false]);
    }
    writeFileSync(scene().settings['OPERATOR_ROLES_FILE'] ?? '', '{');
    expect((await operator.open('/operator')).status).toBe(500);
    // Whoever has written the file finds why in the log.
    expect(scene().log()).toContain('"reason":"OPERATOR_ROLES_FILE ');
  });

  it('may be that of a group, the highest of all', async () => {
    const levels = [1, 2, 3, 4].map((level) => `${scene().issuer}/acr/${level}`);
    const groups = Object.fromEntries(levels.map((level) => [level, 'support']));
    scene().give({ claim: 'acr', groups, subjects: { somebody: 'admin' } });
    const operator = await signedIn();
    expect((await operator.open('/operator?locale=en')).html).toContain('support');
    scene().give({ claim: 'acr', groups: { other: 'admin' } });
    expect((await operator.open('/operator')).status).toBe(403);
  });
});

async function examine(settings: Record<string, string> = {}) {
  const command = { ...scene().settings, ...settings };
  return diagnosisIn(await runMiftah(['doctor', '--json'], command));
}

describe('miftah doctor looks at those who sign operators in', () => {
  it('operator.roles: a file that no service starts with is a fault', async () => {
    scene().give({ subjects: { somebody: 'admin' } });
    const right = await examine();
    expect(severityOf(right, 'operator.roles')).toEqual(['ok', 'ok']);
    expect(severityOf(right, 'operator.issuer')).toEqual(['ok']);
    scene().give({ subjects: { somebody: 'admn' } });
    const wrong = await examine();
    expect(severityOf(wrong, 'operator.roles')).toContain('fault');
    expect(wrong.out).toContain('has to give each name viewer, support or admin');
    const missing = await examine({ OPERATOR_ROLES_FILE: '/nowhere/roles.json' });
    expect(severityOf(missing, 'operator.roles')).toEqual(['fault']);
    expect(missing.out).toContain('/nowhere/roles.json is not there');
    scene().give({});
  });

  it('operator.issuer: a provider that does not answer is a warning', async () => {
    const away = await examine({ OPERATOR_ISSUER: 'http://127.0.0.1:1' });
    expect(severityOf(away, 'operator.issuer')).toEqual(['warning']);
    expect(away.out).toContain('http://127.0.0.1:1 does not say where operators sign in');
    const other = await examine({ OPERATOR_ISSUER: `${scene().issuer}/other` });
    expect(severityOf(other, 'operator.issuer')).toEqual(['warning']);
    expect(other.out).toContain('its document is answered with 404');
  });

  it('operator.issuer: a certificate that is not trusted here leads to the file of authorities', async () => {
    const issuer = await untrustedServer();
    const broken = join(temporaryFolder('authorities'), 'broken.pem');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----');
    for (const [settings, said] of [
      [{}, 'no NODE_EXTRA_CA_CERTS in its environment. An authority of your own'],
      [{ PUBLIC_URL: issuer }, 'An authority of your own has to be in that PEM file'],
      [{ NODE_EXTRA_CA_CERTS: broken }, 'See the finding `authorities.file` first.'],
    ] as const) {
      const untrusted = await examine({ ...settings, OPERATOR_ISSUER: issuer });
      expect(severityOf(untrusted, 'operator.issuer')).toEqual(['warning']);
      expect(untrusted.out).toContain('SELF_SIGNED_CERT');
      expect(untrusted.out).toContain(said);
      expect(untrusted.out).not.toContain('This is the service itself');
    }
  });

  it('operator.issuer: that of a service that is stopped says so', async () => {
    const origin = 'http://127.0.0.1:1';
    const own = await examine({ PUBLIC_URL: origin, OPERATOR_ISSUER: origin });
    expect(severityOf(own, 'operator.issuer')).toEqual(['warning']);
    expect(own.out).toContain('This is the service itself (PUBLIC_URL)');
  });
});
