import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { Operator, redeem } from '../support/operator/operator-scene.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { runMiftah } from '../support/programs/operator.ts';
import {
  findFreePort,
  startService,
  type ServiceProcess,
} from '../support/programs/service-process.ts';
import { openListening } from '../support/service/listening-service.ts';

/** The pages for operators, as a program and by several instances. */

async function linkOf(settings: Readonly<Record<string, string>>): Promise<string> {
  const { out, err } = await runMiftah(['operator', 'link', '--role', 'admin'], settings);
  if (!out.startsWith('http')) throw new Error(err);
  return out.trim();
}

describe('the program', () => {
  let service: ServiceProcess;
  let port: number;
  beforeAll(async () => {
    port = await findFreePort();
    service = await startService({ settings: { OPERATOR_PORT: String(port) } });
  });
  afterAll(() => service.kill());

  it('says what the doctor says, when an administrator asks', async () => {
    const browser = new PersonBrowser();
    const settings = { DATA_DIR: service.dataDir, OPERATOR_PORT: String(port) };
    expect((await redeem(await linkOf(settings), browser)).status).toBe(303);
    const operator = new Operator(`http://127.0.0.1:${port}`, browser);
    expect((await operator.open('/operator/doctor')).html).not.toContain('store.integrity');
    const { status, html } = await operator.post('/operator/doctor');
    expect(status).toBe(200);
    for (const check of ['settings', 'store.integrity', 'audit.chain']) {
      expect(html).toContain(`>${check}<`);
    }
    expect(html).toContain(service.dataDir);
  });
});

it('a session of one instance is one of all, and ends at all of them', async () => {
  const common = { DATABASE_URL: await emptyDatabase(), SECRET_KEY: 'ab'.repeat(32) };
  const origins: string[] = [];
  let dataDir = '';
  for (let instance = 0; instance < 2; instance += 1) {
    const port = await findFreePort();
    const service = await openListening({ settings: { ...common, OPERATOR_PORT: String(port) } });
    ({ dataDir } = service);
    origins.push(`http://127.0.0.1:${port}`);
  }
  const [one = '', other = ''] = origins;
  const link = await linkOf({
    ...common,
    DATA_DIR: dataDir,
    OPERATOR_PORT: new URL(one).port,
  });
  const browser = new PersonBrowser();
  const [first, second] = await Promise.all([
    redeem(link, browser),
    redeem(link.replace(one, other)),
  ]);
  expect([first.status, second.status].toSorted((a, b) => a - b)).toEqual([303, 403]);
  const [cookie = ''] = [first, second].flatMap(({ headers }) => headers.getSetCookie());
  browser.cookies.set('miftah_operator', /=([^;]+)/.exec(cookie)?.[1] ?? '');
  const [here, there] = [new Operator(one, browser), new Operator(other, browser)];
  expect([(await here.open('/operator')).status, (await there.open('/operator')).status]).toEqual([
    200, 200,
  ]);
  const kept = new Map(browser.cookies);
  await there.post('/operator/sign-out');
  for (const [name, value] of kept) browser.cookies.set(name, value);
  expect((await here.open('/operator')).status).toBe(403);
});

it('over https the cookie is for this host alone, and no other host is answered', async () => {
  const port = await findFreePort();
  const { settings } = await openListening({
    settings: { OPERATOR_PORT: String(port), OPERATOR_URL: 'https://operators.example' },
  });
  const { pathname, origin } = new URL(await linkOf(settings));
  expect(origin).toBe('https://operators.example');
  const post = (host: string) =>
    new Promise<[number, string]>((resolve, reject) => {
      const headers = { host, origin, 'content-type': 'application/x-www-form-urlencoded' };
      const sent = request({ port, path: pathname, method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve([answer.statusCode ?? 0, answer.headers['set-cookie']?.[0] ?? '']);
      });
      sent.on('error', reject).end();
    });
  expect(await post(`127.0.0.1:${port}`)).toEqual([421, '']);
  const [status, cookie] = await post('operators.example');
  expect(status).toBe(303);
  expect(cookie).toMatch(
    /^__Host-miftah_operator=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
  );
});
