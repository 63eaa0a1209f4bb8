import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { share, temporaryFolder } from '../../../service/test/support/at-end.ts';
import { ApiClient } from '../../../service/test/support/programs/api-client.ts';
import { BUILD_LIMIT_MS, builtRelease } from '../support/release/built-release.ts';
import { Machine } from '../support/systemd/machine.ts';
import { ready, runPage, stateOf } from '../support/systemd/operator.ts';
import { commandsOf } from '../support/systemd/page.ts';
import { packAs } from '../support/upgrade/packed-release.ts';

/**
 * The steps of docs/upgrading.md for one instance, on a machine that systemd has booted, with a
 * release that was installed as docs/install.md says. The tests are the days of one machine, in this
 * order. The two releases differ in their versions, so that it is seen which one runs.
 */

const LIMIT_MS = 2 * BUILD_LIMIT_MS;
const [OLD, NEW] = ['1.0.0', '1.1.0'];
const [FIRST = '', THEN = '', OF_PACKAGE = ''] = commandsOf('One instance', 'upgrading.md');
const [BACK = ''] = commandsOf('Rolling back', 'upgrading.md');
const [, INSTALL = ''] = commandsOf('A release folder', 'install.md');

const isPossible = hasTools('systemd');

const machine = share(async (atEnd) => {
  if (!isPossible) return null;
  const [opt, packed] = [temporaryFolder('opt', atEnd), temporaryFolder('packed', atEnd)];
  chmodSync(opt, 0o755);
  const release = await builtRelease('full');
  for (const version of [OLD, NEW]) packAs(version, release, packed);
  const booted = await Machine.bootWith([`--bind=${opt}:/opt`, `--bind-ro=${packed}:/srv`]);
  atEnd(() => booted[Symbol.asyncDispose]());
  return booted;
}, LIMIT_MS);

/** Commands of a page with the version of a test, in the folder with the packed files. */
function as(version: string, commands: string): string {
  const named = commands
    .replace(/^version=.*$/m, `version=${version}`)
    .replaceAll(/miftah-\d+\.\d+\.\d+-live/g, `miftah-${version}-live`)
    .replaceAll(/before-\d+\.\d+\.\d+/g, `before-${NEW}`);
  return `cd /srv\n${named}`;
}

/** Which version the link names, and of which the process, the unit and miftah-admin are. */
async function versionsOn(on: Machine): Promise<readonly string[]> {
  const { MainPID } = await stateOf(on);
  const said = await on.expect(
    `miftah --version; readlink /proc/${MainPID}/exe; tail -n 1 /etc/systemd/system/miftah.service
     readlink -f "$(command -v miftah-admin)"`,
  );
  return said.split('\n');
}

const whole = (version: string) => [
  version,
  `/opt/miftah-${version}-live-linux-x64/bin/node`,
  `# ${version}`,
  `/opt/miftah-${version}-live-linux-x64/share/deploy/systemd/miftah-admin`,
];

async function statusOfToken(on: Machine, token: string): Promise<number> {
  const client = new ApiClient((await on.relay(3000)).origin);
  const { status } = await client.get('/user', { authorization: `Bearer ${token}` });
  client.close();
  return status;
}

async function signIn(on: Machine): Promise<string> {
  const said = await on.expect('miftah login --approve --json');
  return (JSON.parse(said) as { token: string }).token;
}

const tokens: string[] = [];

test(
  'the pages install the old version, and somebody signs in',
  async () => {
    const on = machine();
    if (on === null) return;
    expect(await on.expect(as(OLD, INSTALL))).toContain(`\n${OLD}`);
    for (const heading of ['Install', 'Settings and secrets']) await runPage(on, heading);
    await runPage(on, 'Start', () => ready(on));
    expect(await versionsOn(on)).toEqual(whole(OLD));
    tokens.push(await signIn(on));
  },
  LIMIT_MS,
);

test('a folder in the place of the link is an error, for an installation and an upgrade', async () => {
  const on = machine();
  if (on === null) return;
  const links = [INSTALL, FIRST, BACK].map((block) => /^ln .* \/opt\/miftah\b/m.exec(block)?.[0]);
  await on.expect('mkdir /opt/folder');
  for (const link of links) {
    const line = `old=/opt/old new=/opt/new; ${link?.replace('/opt/miftah', '/opt/folder')}`;
    const { code, err } = await on.run(line);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/File exists|cannot overwrite directory/),
    ]);
  }
  expect(await on.expect('ls /opt/folder; rmdir /opt/folder')).toBe('');
});

test(
  'the new version takes the place of the old one, and nobody has to sign in again',
  async () => {
    const on = machine();
    if (on === null) return;
    const said = await on.expect(as(NEW, FIRST));
    expect(said).toContain('store.schema');
    expect(said).toContain('is a whole copy');
    await ready(on);
    expect(await versionsOn(on)).toEqual(whole(NEW));

    const [ask = '', ...others] = THEN.split('\n');
    expect(await curl(on, ask)).toBe('{"status":"ready"}');
    const then = await on.expect(others.join('\n'));
    expect(then.split('\n').slice(0, 2)).toEqual(whole(NEW).slice(0, 2));
    expect(then).toContain('Every row is as it was written');
    expect(await statusOfToken(on, tokens[0] ?? '')).toBe(200);
    tokens.push(await signIn(on));
  },
  LIMIT_MS,
);

/** The machine has no curl, so this one asks, through a port that leads there. */
async function curl(on: Machine, line: string): Promise<string> {
  const { origin } = await on.relay(3000);
  const here = line
    .replace('http://127.0.0.1:3000', origin)
    .replace('login.example.com', 'localhost');
  expect(here).toContain(`${origin}/readyz`);
  return (await promisify(execFile)('sh', ['-euc', here])).stdout.trim();
}

test(
  'the old version comes back with the backup, without what was since',
  async () => {
    const on = machine();
    if (on === null) return;
    expect(await on.expect(as(OLD, BACK))).toContain(`Restored /var/backups/miftah/before-${NEW}`);
    await ready(on);
    expect(await versionsOn(on)).toEqual(whole(OLD));
    for (const token of tokens) expect(await statusOfToken(on, token)).toBe(401);
    expect(tokens).toHaveLength(2);
    const unread = '/var/lib/miftah-newer';
    expect(await on.expect(`stat -c %a ${unread}; ls ${unread}`)).toMatch(/^700\nmiftah\.db/);
    await signIn(on);
  },
  LIMIT_MS,
);

test('only commands for engines of containers are not run, here or by ../release/debian.test.ts', () => {
  const headings = ['One instance', 'Several instances', 'Rolling back', 'Making a release'];
  const blocks = headings.flatMap((heading) => commandsOf(heading, 'upgrading.md'));
  const left = blocks.filter((block) => ![FIRST, THEN, OF_PACKAGE, BACK].includes(block));
  expect(left.map((block) => block.split(' ', 1)[0])).toEqual(['docker', 'kubectl']);
});
