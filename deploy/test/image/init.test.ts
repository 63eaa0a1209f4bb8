import { randomUUID } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { until } from '../../../service/test/support/programs/until.ts';
import { builtBeforeTests } from '../support/image/built-image.ts';
import { containerForTest } from '../support/image/container.ts';

/** `miftah init` in the image: the commands that it prints are run as they are printed. */

const USER_ID = 10001;
const isHere = hasTools('image');

function settingsFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-container-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chownSync(folder, USER_ID, USER_ID);
  return folder;
}

describe('miftah init in the image', () => {
  const built = builtBeforeTests();

  /** Runs a printed command, with a name of its own for what it makes. */
  async function run(command: string, folder: string, own: string): Promise<string> {
    const { engine, image } = built();
    const [program, verb = '', ...args] = command.split(' ');
    expect([program, verb]).toEqual(['podman', 'run']);
    const given = args.map((arg, index) => {
      if (args[index - 1] === '--name') return `${own}-${arg}`;
      if (arg === 'miftah') return image;
      return arg.replace(/^FOLDER(?=[:/])/, folder).replace(/^(?=miftah(?:-head)?:)/, `${own}-`);
    });
    return engine.expectPodman(verb, `--cgroup-parent=${engine.cgroup}`, ...given);
  }

  it('prints commands that rehearse a sign-in without a shell', async () => {
    if (!isHere) return;
    const { engine, image } = built();
    const folder = settingsFolder();
    const own = randomUUID();
    onTestFinished(async () => {
      const names = ['miftah', 'miftah-simulator'].map((name) => `${own}-${name}`);
      await engine.podman('rm', '--force', '--ignore', '--time', '0', ...names);
      await engine.podman('volume', 'rm', '--force', `${own}-miftah`, `${own}-miftah-head`);
    });
    const [port, metrics, provider] = await Promise.all([1, 2, 3].map(() => findFreePort()));
    const origin = `http://127.0.0.1:${provider}`;
    const ports = ['--port', String(port), '--metrics-port', String(metrics)];
    const { code, output } = await containerForTest(engine).run({
      image,
      settings: {},
      volumes: [`${folder}:/etc/miftah`],
      command: ['init', '--yes', '--rehearse', ...ports, '--provider-url', origin],
    });
    expect(code, output).toBe(0);
    const next = output.slice(output.indexOf('\nNext:'));
    const [simulator = '', doctor = '', start = '', ...more] = next.match(/^ {2}\S.*$/gm) ?? [];
    expect(more).toEqual([]);
    expect(next).not.toMatch(/npx|set -a|bin\/miftah /);

    await run(simulator.trim(), folder, own);
    await until(async () =>
      fetch(`${origin}/livez`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    expect(await run(doctor.trim(), folder, own)).not.toMatch(/^fault/m);
    await run(start.trim(), folder, own);
    const service = `http://localhost:${port}`;
    await until(async () =>
      fetch(`${service}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    const [key = ''] = /mfk_\S+/.exec(output) ?? [];
    const started = await fetch(`${service}/api/v1/start`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ locale: 'en' }),
    });
    expect([started.status, started.headers.get('x-auth-mode')]).toEqual([200, 'rehearsal']);
    const health = await engine.podman('healthcheck', 'run', `${own}-miftah`);
    expect(health).toEqual({ code: 0, output: '' });
  });
});
