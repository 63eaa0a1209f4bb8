import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  type Dirent,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BUILT_IN_PEOPLE } from '@miftah/simulator/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recordCanaries } from '../support/canaries/run-folder.ts';
import { ApiClient, dataOf } from '../support/programs/api-client.ts';
import {
  clientForTest,
  spawnServiceForTest,
  startServiceForTest,
} from '../support/programs/for-test.ts';
import { holdRequest } from '../support/programs/held-request.ts';
import type { ServiceProcess } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';
import { openListening, refusalOf } from '../support/service/listening-service.ts';

const run = promisify(execFile);

describe('the banner', () => {
  it('shows the addresses, the test people, and curl lines that sign in by both flows', async () => {
    const service = await startServiceForTest({ settings: { LOG_LEVEL: 'warn', PORTT: '1' } });
    const banner = await printed(service, 'Ctrl-C stops it');

    for (const path of ['/', '/api/v1', '/docs', '/stg/api', '/simulator/phone']) {
      expect(banner).toContain(` ${service.origin}${path}`);
    }
    for (const { nationalId, englishName, arabicName } of BUILT_IN_PEOPLE.all) {
      expect(banner).toContain(`${nationalId}  ${englishName.full}`);
      expect(banner).toContain(arabicName.full);
    }
    expect(banner.match(/^ *\* \d{10} /gm)).toHaveLength(1);
    expect(service.stderr()).toBe('');
    const misspelt = 'PORTT in the environment is no setting: did you mean PORT?';
    expect(banner).toContain(`"${misspelt}"`);
    expect(banner).toContain(`\n  WARNING     ${misspelt}\n`);

    const [byBrowser, byPhone] = await runInShell(curlLinesOf(banner));
    const { nationalId, englishName } = BUILT_IN_PEOPLE.fallback;
    expect(byBrowser?.user).toMatchObject({ national_id: nationalId, name: englishName.full });
    expect(byPhone?.user).toEqual({ ...byBrowser?.user, last_auth_method: 'mfa' });
  });
});

describe('the banner of strict mode', () => {
  it('has lines to paste, with the key, that sign in by phone', async () => {
    const settings = { STRICT: 'yes', LOG_LEVEL: 'warn' };
    const service = await spawnServiceForTest({ settings });
    const banner = await printed(service, 'Ctrl-C stops it');
    const lines = banner.split('\n').filter((line) => /^\S/.test(line));
    const { stdout } = await run('sh', ['-c', lines.join('\n')]);
    const { data } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
      data: { token: string; user: object };
    };
    recordCanaries('API token', [data.token]);
    expect(data.user).toMatchObject({ national_id: '1000002201', last_auth_method: 'mfa' });
  });

  it('has none where they would need a secret', async () => {
    const settings = { STRICT: 'yes', SIMULATOR_TOKEN: 'x'.repeat(32) };
    const service = await spawnServiceForTest({ settings });
    expect(await printed(service, 'Ctrl-C stops it')).not.toContain('curl');
  });
});

/** Runs the three lines unchanged. @returns the tokens and users that they print */
async function runInShell(lines: readonly string[]) {
  expect(lines).toHaveLength(3);
  expect(lines.join(), 'older than curl 7.82').not.toContain('--json');

  const { stdout } = await run('bash', ['-c', lines.join('\n')]);
  const answers = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { data?: { token?: string; user?: object } });
  const issued = answers.flatMap(({ data }) => (data?.token === undefined ? [] : [data]));
  expect(issued).toHaveLength(2);
  for (const { token } of issued) {
    expect(token).toMatch(/^mft_test_/);
    recordCanaries('API token', [String(token)]);
  }
  return issued;
}

function curlLinesOf(banner: string): string[] {
  return banner.split('\n').filter((line) => /^(API=|call )/.test(line));
}

describe('wrong settings', () => {
  it('are refused all at once, with exit code 2, and never show a secret', async () => {
    const secret = 'not-hex-but-secret-all-the-same';
    const service = await spawnServiceForTest({
      settings: {
        PUBLIC_URL: 'ftp://x',
        LOG_LEVEL: 'loud',
        TOKEN_LIFETIME: '5',
        MIFTAH_X: '1',
        SECRET_KEY: secret,
      },
    });

    expect(await service.refused()).toEqual({ code: 2, signal: null });
    for (const name of ['PUBLIC_URL', 'LOG_LEVEL', 'TOKEN_LIFETIME', 'MIFTAH_X', 'SECRET_KEY']) {
      expect(service.stderr()).toContain(name);
    }
    expect(service.stderr()).not.toContain(secret);
    expect(service.stdout()).toBe('');
  });
});

describe('a data folder that is not as the service left it', () => {
  const spoilt: Readonly<Record<string, [(dataDir: string) => void, RegExp]>> = {
    'its key is gone': [
      (dataDir) => rmSync(join(dataDir, 'secret.key')),
      /database in .* not the key that it was written with: restore secret\.key/,
    ],
    'its database is empty': [
      (dataDir) => truncateSync(join(dataDir, 'miftah.db'), 0),
      /miftah\.db is empty.* Restore a backup/,
    ],
  };

  it.each(Object.entries(spoilt))('is refused, and named: %s', async (_, [spoil, words]) => {
    const first = await openListening();
    await first.stop();
    spoil(first.dataDir);
    expect(await refusalOf({ DATA_DIR: first.dataDir })).toMatch(words);
  });
});

describe('PORT=0', () => {
  it('takes a free port, which the banner and the addresses in answers name', async () => {
    const service = await spawnServiceForTest({ settings: { PORT: '0', LOG_LEVEL: 'warn' } });
    const [, origin = ''] = / API +(\S+)\/api\/v1/.exec(await printed(service, 'Ctrl-C')) ?? [];
    expect(Number(new URL(origin).port)).toBeGreaterThan(0);

    const client = new ApiClient(origin);
    onTestFinished(() => client.close());
    expect((await client.start({ locale: 'ar' })).authorization_url).toMatch(`${origin}/api/v1/`);
  });
});

describe('a port that is taken', () => {
  it('is named, and the program ends, before anything is written', async () => {
    const { port } = await takenPort();
    const service = await spawnServiceForTest({ port });

    expect(await service.refused()).toEqual({ code: 1, signal: null });
    expect(service.stderr()).toContain(`127.0.0.1:${port}`);
    expect(service.stderr()).toContain('set PORT');
    expect(service.stderr(), 'a stack says nothing to an operator').not.toContain('    at ');
    expect(existsSync(service.dataDir)).toBe(false);
  });

  it('is named where it is the one of the metrics, and an earlier store stays as it was', async () => {
    const first = await openListening();
    await first.stop();
    const before = contentsOf(first.dataDir);
    const { port } = await takenPort();
    const settings = { METRICS_PORT: String(port) };
    const service = await spawnServiceForTest({ dataDir: first.dataDir, settings });

    expect(await service.refused()).toEqual({ code: 1, signal: null });
    expect(service.stderr()).toContain('set METRICS_PORT');
    expect(contentsOf(first.dataDir)).toEqual(before);
  });

  it('comes after wrong clients, which only a person can correct', async () => {
    const { port } = await takenPort();
    const settings = { CLIENTS_FILE: '/nowhere/clients.json' };
    const service = await spawnServiceForTest({ port, settings });
    expect(await service.refused()).toEqual({ code: 2, signal: null });
    expect(service.stderr()).toContain('CLIENTS_FILE');
  });
});

/** The bytes of each file in a folder. */
function contentsOf(folder: string): readonly string[][] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((file) => join(file.parentPath, file.name));
  return paths.map((path) => [path, readFileSync(path, 'base64')]);
}

async function takenPort(): Promise<AddressInfo> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server.address() as AddressInfo;
}

describe('a second process on the same data', () => {
  it('is refused with a clear message, and leaves the first at work', async () => {
    const first = await openListening();
    const client = clientForTest(first);
    const attempt = await client.start({ locale: 'ar' });
    const second = await spawnServiceForTest({ dataDir: first.dataDir });

    expect(await second.refused()).toEqual({ code: 1, signal: null });
    expect(second.stderr()).toMatch(
      /Another Miftah uses .*miftah\.db.*a PORT and a DATA_DIR of its own/,
    );
    expect(dataOf(await client.status(attempt))).toMatchObject({ status: 'pending' });
  });

  it('is admitted while the first one is leaving, and finds all that it answered', async () => {
    const first = await startServiceForTest();
    const held = await holdRequest(first, { locale: 'ar' });
    first.signal('SIGTERM');
    const second = await spawnServiceForTest({ dataDir: first.dataDir });
    await until(() => hasOpen(second, 'miftah.lock'));

    const attempt = await held.finish();
    expect(await first.exited).toEqual({ code: 0, signal: null });
    await second.ready();
    expect(dataOf(await clientForTest(second).status(attempt))).toMatchObject({
      status: 'pending',
    });
  });
});

/** Whether the program has this file open. If the system can't tell, it is assumed. */
function hasOpen({ pid }: ServiceProcess, file: string): boolean {
  const folder = `/proc/${pid}/fd`;
  if (!existsSync(folder)) return true;
  const links = readdirSync(folder).map((name) => linkTarget(join(folder, name)));
  return links.some((target) => target.endsWith(file));
}

/** A file may be closed between listing and reading it. */
function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

async function printed(service: ServiceProcess, last: string): Promise<string> {
  await until(() => service.stdout().includes(last));
  return service.stdout();
}

const LEAST_COMPILED_BYTES = 500_000;

describe('the cache of compiled code', () => {
  it('is written as soon as the service listens, so a killed one leaves it too', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'miftah-compiled-'));
    onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
    await startServiceForTest({ settings: { NODE_COMPILE_CACHE: cache } });
    await until(() => bytesIn(cache) > LEAST_COMPILED_BYTES);
  });
});

/** Prints a word at each collection that gives back all memory it can. */
const WATCH_COLLECTIONS = `
  import { constants, PerformanceObserver } from 'node:perf_hooks';
  const ALL = constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.flags & ALL) console.log('collected all');
  }).observe({ type: 'gc' });
`;

describe('the memory of the start', () => {
  it('is given back soon after the service listens', async () => {
    const watch = `data:text/javascript,${encodeURIComponent(WATCH_COLLECTIONS)}`;
    const settings = { NODE_OPTIONS: `--import ${watch}`, LOG_LEVEL: 'warn' };
    const service = await startServiceForTest({ settings });
    await until(() => service.stdout().includes('collected all'));
  });
});

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map((file) => sizeOf(file));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Zero for a file that Node has renamed in the meantime. */
function sizeOf({ parentPath, name }: Dirent): number {
  return statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0;
}
