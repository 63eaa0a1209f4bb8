import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/service/test-service.ts';
import { ledTo } from '../support/led-to.ts';
import { AMAL, FAISAL, startPhone, startRedirect } from '../support/service/login.ts';
import { launchOf, startStrict, STRICT } from '../support/service/strict-login.ts';
import { BASE, shareService, type TestService } from '../support/service/test-service.ts';

const DEMO = { ar: 'تطبيق تجريبي', en: 'Demo application' };

/** What the control API says of who asks and from where, and starts that are repeated by it. */

const plain = shareService();
const strict = shareService(STRICT);

type Row = Readonly<Record<string, unknown>>;

async function rowsOf({ app }: TestService, path: string, scope = 'default') {
  const headers = { 'x-miftah-scope': scope };
  const answer = await app.inject({ url: `/simulator/${path}`, headers });
  expect(answer.statusCode, answer.payload).toBe(200);
  return answer.json<{ data: Row[] }>().data;
}

const promptOf = async (service: TestService, id: string, scope?: string) =>
  (await rowsOf(service, `prompts?request_id=${id}`, scope))[0];

const startFrom = (service: TestService, remoteAddress: string): Promise<Answer> =>
  service.request({
    method: 'POST',
    url: `${BASE}/start`,
    remoteAddress,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ locale: 'ar', national_id: AMAL }),
  });

const idOf = (answer: Answer) => answer.json<{ data: { attempt_id: string } }>().data.attempt_id;

describe('the origin of a prompt', () => {
  it('has the name of the application, and the address of its start', async () => {
    const [english, arabic] = [
      await startPhone(plain()),
      idOf(await startFrom(plain(), '192.0.2.7')),
    ];
    expect(await promptOf(plain(), english.attempt_id)).toMatchObject({
      application: DEMO,
      place: '127.0.0.1',
    });
    expect(await promptOf(plain(), arabic)).toMatchObject({
      application: DEMO,
      place: '192.0.2.7',
    });
    const mapped = idOf(await startFrom(plain(), '::ffff:192.0.2.8'));
    expect(await promptOf(plain(), mapped)).toMatchObject({ place: '192.0.2.8' });
  });

  it('is known in strict mode too, where the prompt is the provider’s', async () => {
    const started = await startStrict(strict(), { national_id: AMAL });
    expect(await promptOf(strict(), started.attempt_id)).toMatchObject({
      application: DEMO,
      place: '127.0.0.1',
    });
  });

  it('is of the scope only, whoever names the same request', async () => {
    const started = await startStrict(strict(), { national_id: FAISAL });
    const url = `/stg/api/v1/mfa/request?local=en&requestId=${started.attempt_id}`;
    const headers = { 'x-miftah-scope': 'other' };
    const payload = { nationalId: FAISAL, service: 'Login' };
    const sent = await strict().app.inject({ method: 'POST', url, headers, payload });
    expect(sent.statusCode, sent.payload).toBeLessThan(300);
    const foreign = await promptOf(strict(), started.attempt_id, 'other');
    expect(foreign).toMatchObject({ application: null, place: null });
  });

  it('is the same application on all pages of one sign-in in strict mode, a simulation', async () => {
    const started = await startStrict(strict());
    const before = (await strict().get(`/callback?state=${started.attempt_id}&locale=en`)).payload;
    expect(before).toContain('Demo application');
    expect(before).toContain('This is a simulation.');
    expect(before).not.toContain('rehearsal');
    const { pathname, search } = new URL(ledTo((await launchOf(strict(), started)).headers) ?? '');
    const { payload } = await strict().app.inject(pathname + search);
    expect(payload).toContain('<strong>Demo application</strong></bdi> has asked for a sign-in.');
  });
});

describe('the list of attempts', () => {
  it('names the application and the service, and goes on before an attempt', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      plain().clock.advance(1);
      ids.unshift((await startRedirect(plain())).attempt_id);
    }
    const [newest, second, third] = await rowsOf(plain(), 'attempts?limit=3');
    expect([newest, second, third].map((row) => row?.['id'])).toEqual(ids);
    expect(newest).toMatchObject({ client: { en: 'Demo application' }, service: 'Login' });
    expect(await rowsOf(plain(), `attempts?limit=2&before=${ids[0]}`)).toEqual([second, third]);
  });
});
