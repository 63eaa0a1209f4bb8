import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { clientForTest, spawnServiceForTest } from '../support/programs/for-test.ts';
import { runMiftahProgram } from '../support/programs/operator.ts';
import { until } from '../support/programs/until.ts';

/** What a supervisor relies on. The reload itself: live/doors.test.ts. */

it.each([{}, { STRICT: 'yes' }])('SIGHUP ends no service without clients (%o)', async (mode) => {
  const service = await spawnServiceForTest({ settings: mode });
  await until(() => service.stdout().includes('Ctrl-C stops it'));
  service.signal('SIGHUP');
  await until(() =>
    service.stdout().includes('nothing is read anew: no file that SIGHUP reads is set'),
  );
  expect((await clientForTest(service).send('GET', '/readyz')).status).toBe(200);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(service.stderr()).toBe('');
});

it('`miftah start` reads its settings file, wherever --config stands', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'miftah.env');
  writeFileSync(file, 'PORT=4321\n');
  const orders = [
    ['start', '--config', file],
    ['start', `--config=${file}`],
    ['--config', file, 'start'],
    ['dev', '--config', file],
  ];
  for (const order of orders) {
    const { out } = await runMiftahProgram([...order, '--show-config'], {});
    expect(out, order.join(' ')).toContain(`\nPORT=4321  # from ${file}\n`);
  }
  const { code, err } = await runMiftahProgram(['start', '--config', join(folder, 'none')], {});
  expect([code, err]).toEqual([2, expect.stringContaining("none can't be read: ENOENT")]);
});

it('`miftah init` prints lines that run where npm has found it, and where a shell has', async () => {
  for (const [event, runner] of [
    [{}, ''],
    [{ npm_lifecycle_event: 'npx' }, 'npx '],
  ] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'miftah-settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const dir = join(folder, 'rehearsal');
    const { code, out } = await runMiftahProgram(['init', '--rehearse', '--dir', dir], event);
    expect(code).toBe(0);
    expect(out).toContain(`; exec ${runner}miftah-simulator)\n  ${runner}miftah start --config `);
  }
});

it('the start warns when others may read its secrets, and says what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const file = join(folder, 'key');
  writeFileSync(file, 'ab'.repeat(32));
  chmodSync(file, 0o644);
  const service = await spawnServiceForTest({ settings: { SECRET_KEY_FILE: file } });
  await service.ready();
  const said = `Other users may open SECRET_KEY_FILE ${file}. Run: chmod o-rwx ${file}`;
  expect(service.stdout()).toMatch(new RegExp(`"level":40,.*"msg":"${said}"`));
  // In plain words too, for whoever reads it on a terminal.
  await expect.poll(() => service.stdout()).toContain(`\n  WARNING     ${said}\n`);
  chmodSync(file, 0o600);
  await service.stop();
  const again = await spawnServiceForTest({ settings: { SECRET_KEY_FILE: file } });
  await again.ready();
  expect(again.stdout()).not.toContain('"level":40');
});

it('a clients file that is wrong is a wrong setting, and nothing is written before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'clients.json');
  writeFileSync(file, '{ "clients": [{ "id": "Shop" }] }');
  const service = await spawnServiceForTest({ settings: { CLIENTS_FILE: file } });
  expect(await service.exited).toEqual({ code: 2, signal: null });
  expect(service.stderr()).toContain(`- CLIENTS_FILE: ${file} can't be used:`);
  expect(existsSync(service.dataDir)).toBe(false);
});

it.each([['SIGTERM'], ['SIGHUP', 'SIGTERM']] as const)(
  'a stop during the start is a stop as asked, also after a reload (%s %s)',
  async (...signals) => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const DATABASE_URL = `postgres://nobody@127.0.0.1:${address.port}/none?sslmode=disable`;
    const settings = { DATABASE_URL, SECRET_KEY: 'a'.repeat(64) };
    const service = await spawnServiceForTest({ settings });
    // The start waits for a database that never answers.
    await once(silent, 'connection');
    for (const signal of signals) service.signal(signal);
    expect(await service.exited).toEqual({ code: 0, signal: null });
    expect(service.stdout()).not.toContain('Ctrl-C stops it');
  },
);
