import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile, type ClientEntry } from '../../../scripts/rehearsal.ts';
import { ledTo } from '../support/led-to.ts';
import { BANK_KEY, CLIENTS, SHOP_KEY } from '../support/live/rehearsal.ts';
import {
  AMAL,
  bearer,
  complete,
  expectProblem,
  issuedOf,
  postSignIn,
  redeem,
  startedOf,
  startRedirect,
  type Started,
} from '../support/service/login.ts';
import { openTestService, type Answer, type TestService } from '../support/service/test-service.ts';

/** Clients in simulator mode: a key tells who calls, but is never required. */

const FRAGMENT: ClientEntry = { ...CLIENTS.bank, code_in: 'fragment' };
const BUILT_IN_KEY = 'mfk_test_simulator';

const UNLISTED = { ...CLIENTS.shop, return_addresses: ['https://shop.example.test/new'] };

async function serviceWith(...clients: readonly ClientEntry[]): Promise<TestService> {
  return (await reloadable(...clients)).service;
}

async function reloadable(...clients: readonly ClientEntry[]) {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-clients-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { CLIENTS_FILE: writeClientsFile(folder, clients) };
  const service = await openTestService({ settings });
  const reload = async (...changed: readonly ClientEntry[]) => {
    writeClientsFile(folder, changed);
    await service.reload();
  };
  return { service, reload };
}

function startAs(service: TestService, key: string, body: object = {}): Promise<Answer> {
  return service.post('/start', { locale: 'en', ...body }, bearer(key));
}

/** The address that the browser is sent to after the approval. */
async function returnOf(service: TestService, { attempt_id: state }: Started): Promise<URL> {
  const answer = await postSignIn(service, { state, decision: 'approve' });
  expect(answer.statusCode, answer.payload).toBe(200);
  return new URL(String(ledTo(answer.headers)));
}

async function ownerOf(service: TestService, started: Started, keys: readonly string[]) {
  await complete(service, started);
  const { token } = issuedOf(await redeem(service, started));
  const answers = keys.map((key) => service.post('/introspect', { token }, bearer(key)));
  return (await Promise.all(answers)).map((answer) => answer.json<{ client_id?: string }>());
}

describe('the clients file in simulator mode', () => {
  it.each([
    ['a return address', UNLISTED],
    ['an application', CLIENTS.bank],
  ])('%s that is taken out of it gets no code', async (_, left) => {
    const { service, reload } = await reloadable(CLIENTS.shop);
    const { attempt_id: state } = startedOf(await startAs(service, SHOP_KEY));
    const open = () => service.get(`/callback?state=${state}`);
    expect((await open()).statusCode).toBe(200);
    await reload(left);
    const answer = await postSignIn(service, { state, decision: 'approve' });
    expect([answer.statusCode, answer.headers.location]).toEqual([404, undefined]);
    expect((await open()).statusCode).toBe(404);
  });

  it('sends the browser of a client to its return address, and the code as it wants it', async () => {
    const service = await serviceWith(CLIENTS.shop, FRAGMENT);
    const shop = await returnOf(service, startedOf(await startAs(service, SHOP_KEY)));
    expect(shop.origin + shop.pathname).toBe('https://shop.example.test/return');
    expect(shop.searchParams.get('completion_code')).toMatch(/^[\w-]{43}$/);
    const [, other] = CLIENTS.bank.return_addresses;
    const named = startedOf(await startAs(service, BANK_KEY, { return_address: other }));
    const bank = await returnOf(service, named);
    expect(bank.href).toContain('https://bank.example.test/other?a=b#attempt_id=');
  });

  it('names the client on the sign-in page', async () => {
    const service = await serviceWith(CLIENTS.bank);
    const started = startedOf(await startAs(service, BANK_KEY));
    const page = await service.get(`/callback?state=${started.attempt_id}`);
    expect(page.payload).toContain('Example Bank');
  });

  it('gives an attempt to whose key came with the start', async () => {
    const service = await serviceWith(CLIENTS.shop, CLIENTS.bank);
    const body = { national_id: AMAL };
    const started = startedOf(await startAs(service, BANK_KEY, body));
    const seen = await ownerOf(service, started, [BANK_KEY, SHOP_KEY]);
    expect(seen).toMatchObject([{ active: true, client_id: 'bank' }, { active: false }]);
  });

  it('needs no key: a start without one is the first client’s, where none is keyless', async () => {
    const service = await serviceWith(CLIENTS.bank);
    const started = await startRedirect(service);
    const [seen] = await ownerOf(service, started, [BANK_KEY]);
    expect(seen).toMatchObject({ active: true, client_id: 'bank' });
  });

  it('takes a start under a key that nobody has for one without a key', async () => {
    const service = await serviceWith(CLIENTS.bank);
    const started = startedOf(await startAs(service, 'mfk_nobody-has-this-key'));
    const [seen] = await ownerOf(service, started, [BANK_KEY]);
    expect(seen).toMatchObject({ active: true, client_id: 'bank' });
  });

  it('takes the place of the built-in client', async () => {
    const service = await serviceWith(CLIENTS.bank);
    const asked = await service.post('/introspect', { token: 'x' }, bearer(BUILT_IN_KEY));
    const problem = expectProblem(asked, 'client.unauthenticated');
    expect(problem['remedy']).not.toContain(BUILT_IN_KEY);
    const here = await service.post('/start', {
      locale: 'en',
      return_address: 'http://localhost/',
    });
    expectProblem(here, 'validation.failed');
  });

  it('is looked at before anything begins', async () => {
    await expect(serviceWith()).rejects.toThrow('"clients" is empty');
    await expect(serviceWith({ ...CLIENTS.bank, keys: [] })).rejects.toThrow('needs a key');
  });
});

describe('the built-in client of simulator mode', () => {
  it('sends the browser to any address of this machine that a start names', async () => {
    const service = await openTestService();
    const body = { locale: 'en', return_address: 'http://localhost:5173/return?a=b' };
    const back = await returnOf(service, startedOf(await service.post('/start', body)));
    expect(back.origin + back.pathname).toBe('http://localhost:5173/return');
    expect(back.searchParams.get('a')).toBe('b');
  });

  it.each(['https://example.test/', 'http://localhost.example.test/', 'javascript:alert(1)'])(
    'sends it nowhere else: %s',
    async (address) => {
      const service = await openTestService();
      const answer = await service.post('/start', { locale: 'en', return_address: address });
      expectProblem(answer, 'validation.failed');
    },
  );

  it.each(['https://app.example.test/in', 'com.example.app:/in'])(
    'sends it to DASHBOARD_URL where a start names nothing: %s',
    async (address) => {
      const service = await openTestService({ settings: { DASHBOARD_URL: address } });
      const back = await returnOf(service, await startRedirect(service));
      expect(back.href.startsWith(`${address}?attempt_id=`)).toBe(true);
    },
  );
});
