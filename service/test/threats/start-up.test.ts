import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serviceSettings, simulatorSettings } from '../../../scripts/rehearsal.ts';
import { spawnServiceForTest, startServiceForTest } from '../support/programs/for-test.ts';
import { findFreePort, SIMULATOR } from '../support/programs/service-process.ts';
import { BANK_KEY, CLIENTS } from '../support/live/rehearsal.ts';
import { openListening, refusedStart } from '../support/service/listening-service.ts';

type Settings = Readonly<Record<string, string>>;

let folder: string;
/** All settings of live mode, with ports on which nothing listens. */
let live: Settings;
let ports: { servicePort: number; simulatorPort: number };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'miftah-start-up-'));
  ports = { servicePort: await findFreePort(), simulatorPort: await findFreePort() };
  live = { RATE_LIMITS: 'on', ...serviceSettings(planned()) };
});
afterAll(() => rmSync(folder, { recursive: true }));

function planned() {
  return { ...ports, folder, secretKey: '5e'.repeat(32), clients: Object.values(CLIENTS) };
}

/** What a start says. That the program then ends by itself without serving a request is tried once. */
const refusalOf = async (settings: Settings): Promise<string> =>
  (await refusedStart(settings)).said;

async function refusalOfProgram(settings: Settings): Promise<string> {
  const service = await spawnServiceForTest({ settings });
  const { code } = await service.refused();
  expect(code).toBeGreaterThan(0);
  expect(service.stdout()).not.toContain('Ctrl-C stops it');
  return service.stderr();
}

async function modeOf(settings: Settings, port?: number): Promise<string | null> {
  const service = await openListening(port === undefined ? { settings } : { settings, port });
  const answer = await fetch(`http://localhost:${service.port}/livez`);
  return answer.headers.get('x-auth-mode');
}

describe('threat 3: the simulator where it must not be', () => {
  it.each<[Settings, string]>([
    [{ NODE_ENV: 'production' }, 'NODE_ENV=production'],
    [{ NODE_ENV: 'production', ALLOW_SIMULATOR: 'true' }, 'NODE_ENV=production'],
    [{ HOST: '0.0.0.0' }, 'PROVIDER=simulator'],
    [{ PUBLIC_URL: 'https://auth.example.test' }, 'PROVIDER=simulator'],
    [{ TRUSTED_PROXIES: '10.0.0.0/8' }, 'PROVIDER=simulator'],
    [{ PROVIDER_URL: 'https://provider.example.test' }, 'PROVIDER_URL'],
    [{ PROVIDER_APP_ID: 'id', PROVIDER_APP_KEY: 'key' }, 'PROVIDER_APP_ID, PROVIDER_APP_KEY'],
  ])('is refused: %j', async (settings, named) => {
    expect(await refusalOf(settings)).toContain(named);
  });

  it('ends by itself, and serves nothing', async () => {
    const settings = { NODE_ENV: 'production', ALLOW_SIMULATOR: 'true' };
    expect(await refusalOfProgram(settings)).toContain('NODE_ENV=production');
  });

  it('says so in every answer where it runs', async () => {
    expect(await modeOf({ NODE_ENV: 'production', ALLOW_SIMULATOR: 'yes' })).toBe('simulator');
  });
});

const NEEDED = [
  'SECRET_KEY',
  'CLIENTS_FILE',
  'PROVIDER_URL',
  'PROVIDER_PATH_PREFIX',
  'PROVIDER_APP_ID',
  'PROVIDER_APP_KEY',
  'PROVIDER_ISSUER',
  'PROVIDER_AUDIENCE',
  'PROVIDER_AUTHORIZE_ORIGIN',
];

describe('two modes: live mode refuses to start', () => {
  it('without what it needs, and names it all at once', async () => {
    const said = await refusalOf({ PROVIDER: 'live', RATE_LIMITS: 'on' });
    for (const name of NEEDED) expect(said).toContain(`${name} is needed`);
  });

  it('and ends by itself, without a banner', async () => {
    expect(await refusalOfProgram({ ...live, SECRET_KEY: '' })).toContain('SECRET_KEY is needed');
  });

  it.each(['SECRET_KEY', 'CLIENTS_FILE', 'PROVIDER_APP_KEY'])('without %s alone', async (name) => {
    expect(await refusalOf({ ...live, [name]: '' })).toContain(`${name} is needed`);
  });

  it.each<[Settings, string]>([
    [{ RATE_LIMITS: 'off' }, 'RATE_LIMITS=off is refused'],
    [{ PUBLIC_URL: 'http://auth.example.test' }, 'PUBLIC_URL must be https'],
    [{ PROVIDER_URL: 'http://provider.example.test' }, 'PROVIDER_URL must be https'],
    [{ CLIENTS_FILE: '/nowhere/clients.json' }, '/nowhere/clients.json'],
  ])('with %j', async (settings, named) => {
    const said = await refusalOf({ ...live, ...settings });
    expect(said).toContain(named);
    expect(said).not.toContain(live['SECRET_KEY']);
    expect(said).not.toContain(live['PROVIDER_APP_KEY']);
  });

  it.each([
    ['no JSON', '{"clients":', 'not JSON'],
    ['no client', '{"clients":[]}', 'empty'],
    ['a key in the clear', JSON.stringify({ clients: [CLIENTS.bank] }), 'never the key'],
  ])('with a clients file that holds %s', async (_, text, named) => {
    const path = join(folder, 'bad-clients.json');
    writeFileSync(path, text, { mode: 0o600 });
    const said = await refusalOf({ ...live, CLIENTS_FILE: path });
    expect(said).toContain(named);
    expect(said).not.toContain(BANK_KEY);
  });
});

describe('two modes: who the provider says it is has to be what the operator expects', () => {
  it('a simulator is refused without ALLOW_SIMULATOR=yes, and taken with it', async () => {
    const settings = simulatorSettings(planned());
    await startServiceForTest({ main: SIMULATOR, port: ports.simulatorPort, settings });
    expect(await refusalOf({ ...live, ALLOW_SIMULATOR: '' })).toContain(
      'is a simulator: set ALLOW_SIMULATOR=yes',
    );
    expect(await modeOf(live, ports.servicePort)).toBe('rehearsal');
  });

  it('a provider that is no simulator is refused with it, and live without', async () => {
    const settings = { ...live, PROVIDER_URL: await plainProvider() };
    expect(await refusalOf(settings)).toContain('is no simulator');
    expect(await modeOf({ ...settings, ALLOW_SIMULATOR: '' }, ports.servicePort)).toBe('live');
  });
});

/** A provider that publishes its keys without stating that it is a simulator. */
async function plainProvider(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":[]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
