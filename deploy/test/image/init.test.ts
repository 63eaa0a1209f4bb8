import { randomUUID } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { findFreePort } from '../../../service/test/support/programs/service-process.ts';
import { until } from '../../../service/test/support/programs/until.ts';
import { builtBeforeTests } from '../support/image/built-image.ts';
import { commandsOf } from '../support/systemd/page.ts';

/** `miftah init` in the image: the commands of docs/containers.md are run as they stand there. */

const USER_ID = 10001;
const isHere = hasTools('image');

/** The folder in which the page's reader is. */
function callersFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-container-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'rehearsal'));
  chownSync(join(folder, 'rehearsal'), USER_ID, USER_ID);
  return folder;
}

/** The commands of a section, each in one line. */
const linesOf = (heading: string) =>
  commandsOf(heading, 'containers.md')
    .join('')
    .replaceAll(/ \\\n +/g, ' ')
    .trim()
    .split('\n');

const answers = (address: string) =>
  until(async () =>
    fetch(address).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

describe('miftah init in the image', () => {
  const built = builtBeforeTests();

  it('the page has commands that rehearse a sign-in without a shell', async () => {
    if (!isHere) return;
    const { engine, image } = built();
    const folder = callersFolder();
    const own = randomUUID();
    onTestFinished(async () => {
      const names = ['miftah', 'miftah-simulator'].map((name) => `${own}-${name}`);
      await engine.podman('rm', '--force', '--ignore', '--time', '0', ...names);
      await engine.podman('volume', 'rm', '--force', `${own}-miftah`, `${own}-miftah-head`);
    });
    const [port, metrics, provider] = await Promise.all([1, 2, 3].map(() => findFreePort()));
    const origin = `http://127.0.0.1:${provider}`;
    const service = `http://localhost:${port}`;
    // This machine's ports, which the settings and the environment have to say alike.
    const ports = `--env PORT=${port} --env METRICS_PORT=${metrics}`;
    const run = async (line: string) => {
      const here = line
        .replace(/ init .*/, `$& --public-url ${service} --metrics-port ${metrics}`)
        .replace(/ init .*/, `$& --provider-url ${origin}`)
        .replace('PORT=4000', `PORT=${provider}`)
        .replace('http://localhost:3000', service)
        .replace('--network host', line.includes('miftah.env') ? `--network host ${ports}` : '$&')
        .replaceAll('"', '')
        .replaceAll('$PWD', folder);
      const [program, verb = '', ...args] = here.split(' ');
      expect([program, verb]).toEqual(['podman', 'run']);
      // A name of its own for what it makes.
      const given = args.map((arg, index) => {
        if (args[index - 1] === '--name') return `${own}-${arg}`;
        return arg === 'miftah' ? image : arg.replace(/^(?=miftah(?:-head)?:)/, `${own}-`);
      });
      return engine.expectPodman(verb, `--cgroup-parent=${engine.cgroup}`, ...given);
    };

    const [install, init = '', simulator = '', doctor = '', start = '', ...more] =
      linesOf('Rehearse');
    expect([install, more]).toEqual(['install -d -o 10001 -g 10001 -m 700 rehearsal', []]);
    const said = await run(init);
    await run(simulator);
    await answers(`${origin}/livez`);
    expect(await run(doctor)).not.toMatch(/^fault/m);
    await run(start);
    await answers(`${service}/readyz`);
    const [key = ''] = /mfk_\S+/.exec(said) ?? [];
    const started = await fetch(`${service}/api/v1/start`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ locale: 'en' }),
    });
    expect([started.status, started.headers.get('x-auth-mode')]).toEqual([200, 'rehearsal']);
    // It has a few seconds, in which a busy machine may not start it.
    await expect
      .poll(() => engine.podman('healthcheck', 'run', `${own}-miftah`), { interval: 1000 })
      .toEqual({ code: 0, output: '' });
  });

  it('live mode is started with the same rights, volumes and settings', () => {
    const [live = '', rehearsal = ''] = ['Run live mode', 'Rehearse'].flatMap((heading) =>
      linesOf(heading).filter((line) => line.includes(' start --config ')),
    );
    const common = rehearsal
      .replace(' --network host', '')
      .replace('--env HOST=127.0.0.1 ', '')
      .replace('http://localhost:3000', 'https://login.example.com')
      .replace('rehearsal:', 'settings:')
      .replace('podman run ', '');
    for (const option of common.split(/ (?=--|miftah start)/)) expect(live).toContain(option);
    expect(live).toContain(' --publish 127.0.0.1:3000:3000 ');
  });
});
