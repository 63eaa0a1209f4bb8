import { chownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { installed, Installed, temporaryFolder } from '../support/init/installed.ts';
import { builtRelease } from '../support/release/built-release.ts';

const modeOf = (...path: string[]) => (statSync(join(...path)).mode & 0o777).toString(8);

/** The findings of `miftah doctor --json` that are not ok. */
async function complaints(miftah: Installed, settings: string): Promise<string[]> {
  const { code, out } = await miftah.miftah(['--config', settings, 'doctor', '--json']);
  const found = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { check: string; severity: string });
  const bad = found.filter(({ severity }) => severity !== 'ok');
  return [`exit ${code}`, ...bad.map(({ check, severity }) => `${severity} ${check}`)];
}

describe('miftah init --rehearse', () => {
  it('is all that a sign-in against the simulator needs', async () => {
    const miftah = await installed();
    const [port, provider, metrics] = [
      await findFreePort(),
      await findFreePort(),
      await findFreePort(),
    ];
    const dir = join(temporaryFolder(), 'rehearsal');
    const address = `http://localhost:${port}`;
    const places = ['--public-url', address, '--metrics-port', String(metrics)];
    const origin = `http://127.0.0.1:${provider}`;
    const args = ['init', '--rehearse', '--dir', dir, ...places, '--provider-url', origin];
    const said = await miftah.miftah(args);
    expect({ code: said.code, err: said.err }).toEqual({ code: 0, err: '' });
    expect(modeOf(dir)).toBe('700');
    for (const file of ['miftah.env', 'clients.json', 'simulator.env']) {
      expect([file, modeOf(dir, file)]).toEqual([file, '600']);
    }
    const settings = join(dir, 'miftah.env');
    const environment = parseEnv(readFileSync(join(dir, 'simulator.env'), 'utf8'));
    const simulator = miftah.start('miftah-simulator', [], {
      env: environment as Record<string, string>,
    });
    await simulator.answers(`${origin}/livez`);
    expect(await complaints(miftah, settings)).toEqual(['exit 0', 'warning store.open']);
    const service = miftah.start('miftah', ['start', '--config', settings]);
    await service.answers(`${address}/readyz`);
    expect(await complaints(miftah, settings)).toEqual(['exit 0']);
    const [key = ''] = /mfk_\S+/.exec(said.out) ?? [];
    const started = await fetch(`${address}/api/v1/start`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ locale: 'en' }),
    });
    expect([started.status, started.headers.get('x-auth-mode')]).toEqual([200, 'rehearsal']);
    expect(await service.stop()).toBe(0);
    const secrets = ['secret-key', 'provider-app-key'].map((name) =>
      readFileSync(join(dir, 'secrets', name), 'utf8').trim(),
    );
    for (const secret of [...secrets, key]) {
      expect(service.said + simulator.said).not.toContain(secret);
    }
    for (const secret of secrets) expect(said.out + said.err).not.toContain(secret);
  });

  it('is refused by a release without the simulator, before anything is written', async () => {
    const live = new Installed(await builtRelease('live'));
    const cwd = temporaryFolder();
    const { code, out, err } = await live.miftah(['init', '--rehearse'], { cwd });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^miftah: Nothing was written:\n {2}- --rehearse needs the simulator/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('is for a normal user too, in a folder of their own', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('this run is a normal user: see above');
    const miftah = await installed();
    const home = temporaryFolder();
    const uid = 65_534;
    chownSync(home, uid, uid);
    const args = ['init', '--rehearse', '--dir', 'own'];
    const { code, err } = await miftah.miftah(args, { cwd: home, uid });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const key = statSync(join(home, 'own', 'secrets', 'secret-key'));
    expect([key.uid, key.mode & 0o777]).toEqual([uid, 0o600]);
    const other = await miftah.miftah(['init', '--rehearse', '--dir', '/etc/miftah-test'], { uid });
    expect(other.code).toBe(2);
    expect(other.err).toMatch(/^miftah: Nothing was written:\n {2}- EACCES: permission denied/);
  });
});
