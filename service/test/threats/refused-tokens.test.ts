import { describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { HOUR_MS, isoTimestamp, MINUTE_MS, SECOND_MS } from '../../src/values/time.ts';
import { shareOpened, type OpenedScene } from '../support/live/live-service.ts';
import { bringPush, comeBack, launched, signedIn } from '../support/live/steps.ts';
import {
  auditRows,
  callsOf,
  doctorOnTokens,
  metricsText,
  storedBytes,
  tokensRefused,
  warnings,
} from '../support/live/told-faults.ts';
import { AUDIENCE } from '../support/provider/provider-under-test.ts';
import { KID, OTHER_KID, type Changes } from '../support/provider/token-forge.ts';

/** What an operator is told of refused tokens, and what a stranger can make of it. */

const REFUSED = 'provider.token_refused';
const UNVERIFIED = 'provider.token_unverified';
const KIDS = [OTHER_KID, KID].join(', ');

let people = 0;
function somebody({ clock }: OpenedScene): string {
  clock.advance(HOUR_MS);
  return String(1_087_600_000 + (people += 1));
}

describe('threat 111: what is told of a token that the provider has signed', () => {
  const scene = shareOpened();

  /** A sign-in by browser with a token that has these claims. */
  async function refusedRedirect(changes: Changes) {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id, changes);
    const visit = await comeBack(scene(), started, browser);
    expect([visit.status, visit.location]).toEqual([502, null]);
    expect(visit.html).toContain('provider.bad_response');
    return { id: started.attempt_id, html: visit.html };
  }

  it('every place says what was expected and what came; the answer does not', async () => {
    const slash = `${AUDIENCE}/`;
    const before = await tokensRefused(scene(), { check: 'aud', signed: 'yes' });
    const { id, html } = await refusedRedirect({ aud: slash });
    expect(html).not.toContain(slash);
    const told = { check: 'aud', expected: AUDIENCE, came: slash };
    expect(warnings(scene()).at(-1)).toEqual({
      ...told,
      msg: 'a token of the provider was refused',
    });
    const detail = `aud expected "${AUDIENCE}" came "${slash}"`;
    expect((await auditRows(scene(), REFUSED)).at(-1)).toMatchObject({ attemptId: id, detail });
    const calls = (await callsOf(scene(), id)).trim().split('\n');
    expect(calls.at(-1)).toContain(`token refused  ${detail}`);
    const finding = await doctorOnTokens(scene());
    expect(finding.severity).toBe('fault');
    expect(finding.what).toContain(detail);
    expect(finding.remedy).toContain('PROVIDER_AUDIENCE');
    scene().clock.advance(MINUTE_MS);
    expect(await tokensRefused(scene(), { check: 'aud', signed: 'yes' })).toBe(before + 1);
    await signedIn(scene(), await scene().bank.startRedirect());
    expect(await doctorOnTokens(scene())).toMatchObject({ severity: 'warning' });
  });

  it('the same is told of a push, once for a message that comes again and again', async () => {
    const { bank, provider } = scene();
    const started = await bank.startPhone(somebody(scene()));
    const { attempt_id: id } = started;
    const sandbox = 'https://sandbox.example.test';
    const message = provider.message(id, provider.phoneToken(id, { iss: sandbox }));
    const answer = await bringPush(scene(), message);
    expect([answer.status, answer.code]).toEqual([401, 'push.unverified']);
    expect(answer.text).not.toContain(sandbox);
    expect(warnings(scene()).at(-1)).toMatchObject({ check: 'iss', came: sandbox });
    expect((await auditRows(scene(), REFUSED)).at(-1)).toMatchObject({ attemptId: id });
    scene().clock.advance(10 * SECOND_MS);
    await bank.status(started);
    const calls = (await callsOf(scene(), id)).trim().split('\n');
    expect(calls.map((line) => line.split('  ')[1])).toEqual([
      'push',
      'token refused',
      'pushStatus',
    ]);
    expect(calls).toEqual(calls.toSorted());
    const lines = warnings(scene()).length;
    for (let times = 0; times < 20; times += 1) await bringPush(scene(), message);
    expect(warnings(scene()).length).toBe(lines);
  });

  it('a clock that is ten minutes wrong is shown by the times', async () => {
    const now = scene().clock.now();
    const late = Math.floor((now - 10 * MINUTE_MS) / SECOND_MS);
    await refusedRedirect({ iat: late, nbf: late, exp: late + 150 });
    const told = warnings(scene()).at(-1);
    expect(told).toMatchObject({ check: 'exp', came: isoTimestamp((late + 150) * SECOND_MS) });
    expect(told?.['expected']).toContain(isoTimestamp(now - MINUTE_MS + 1));
    expect((await doctorOnTokens(scene())).remedy).toContain('clock');
  });

  const NUMBER = '1087609999';
  it.each([
    ['in aud', { aud: NUMBER }],
    ['in an address', { aud: `https://bank.example.test/${NUMBER}` }],
    ['in two audiences', { aud: [NUMBER.slice(0, 5), NUMBER.slice(5)] }],
    ['in Arabic digits', { aud: '١٠٨٧٦٠٩٩٩٩' }],
    ['in Persian digits', { iss: '۱۰۸۷۶۰۹۹۹۹' }],
    ['with blanks and hyphens', { azp: '1087-609 9 99' }],
    ['as a time', { iat: Number(NUMBER) }],
    ['as a number', { aud: Number(NUMBER) }],
  ])('the number of a person is hidden %s', async (_, changes) => {
    const { id } = await refusedRedirect(changes);
    const line = JSON.stringify(warnings(scene()).at(-1));
    expect(line).toMatch(/\[digits\]|more than a day ago|no text/);
    const { what } = await doctorOnTokens(scene());
    const rows = JSON.stringify(await auditRows(scene(), REFUSED));
    const places = [line, what, rows, await callsOf(scene(), id), storedBytes(scene())].join('\n');
    const time = isoTimestamp(Number(NUMBER) * SECOND_MS);
    const forms = [NUMBER, '1087-609', '10876', '١٠٨٧', '۱۰۸۷', '{661}', '{6f1}', time];
    for (const form of forms) expect(places).not.toContain(form);
  });

  it('of an unknown key id only the ids of the provider’s keys are told', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    const { attempt_id: id } = started;
    provider.tell(id, provider.redirectToken(id, {}, { kid: 'made-up-kid' }));
    expect((await comeBack(scene(), started, browser)).status).toBe(502);
    expect(warnings(scene()).at(-1)).toMatchObject({ check: 'kid', expected: KIDS });
    expect(scene().log()).not.toContain('made-up-kid');
  });
});

describe('threat 111: told faults as a channel of strangers', () => {
  const scene = shareOpened();
  const MARK = 'forged-value-of-a-stranger';
  const FORGED = atLength(10_000, 1000);
  const AT_ONCE = 100;

  function forgedMessages(id: string) {
    const { provider } = scene();
    const { forge } = provider;
    const marks = { aud: MARK, iss: MARK, azp: MARK, ServiceName: MARK, sub: MARK };
    const claims = JSON.stringify(provider.phoneClaims(id, marks));
    const foreign = (changes: Changes) => {
      const header = JSON.stringify({ alg: 'RS256', kid: KID, ...changes });
      return forge.signText(header, claims, forge.foreign.privateKey);
    };
    const message = provider.message(id);
    return {
      signature: { ...message, token: foreign({}) },
      kid: { ...message, token: foreign({ kid: MARK }) },
      header: { ...message, token: foreign({ jku: `https://${MARK}.example.test` }) },
      form: { ...message, token: `${MARK}.${MARK}` },
      transaction: { ...message, transId: MARK },
    };
  }

  it('forged callbacks, however many, are one summary row a minute for each check, without their values', async () => {
    const { bank, clock, provider } = scene();
    const { attempt_id: id } = await bank.startPhone(somebody(scene()));
    const forged = forgedMessages(id);
    const kinds = Object.values(forged);
    for (let round = 0; round < FORGED / AT_ONCE; round += 1) {
      const answers = Array.from({ length: AT_ONCE }, (_, at) =>
        bringPush(scene(), kinds[at % kinds.length]),
      );
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([401]));
    }
    expect(await auditRows(scene(), UNVERIFIED)).toEqual([]);
    expect(warnings(scene())).toEqual([]);
    clock.advance(MINUTE_MS);
    await expect.poll(() => warnings(scene()).length).toBe(kinds.length);
    const rows = await auditRows(scene(), UNVERIFIED);
    expect(new Set(rows.map(({ detail, attemptId, count }) => [detail, attemptId, count]))).toEqual(
      new Set(
        Object.keys(forged).map((check) => {
          const detail = check === 'kid' ? `kid expected "${KIDS}"` : check;
          return [detail, null, FORGED / kinds.length];
        }),
      ),
    );
    expect(await auditRows(scene(), REFUSED)).toEqual([]);
    expect(await doctorOnTokens(scene())).toMatchObject({ severity: 'ok' });
    expect(await tokensRefused(scene(), { signed: 'no' })).toBe(FORGED);
    expect(await tokensRefused(scene(), { signed: 'yes' })).toBe(0);
    const told = [scene().log(), await metricsText(scene()), await callsOf(scene(), id)];
    expect([...told, storedBytes(scene())].filter((text) => text.includes(MARK))).toEqual([]);
    expect((await bringPush(scene(), provider.message(id))).status).toBe(200);
  });
});
