import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { packDebian } from '../../../scripts/release/debian.ts';
import { root } from '../../../scripts/run.mjs';
import { temporaryFolder } from '../../../service/test/support/at-end.ts';

/**
 * What the package of Debian has in it, made of a release without its programs and libraries, which
 * take most of the time. At length it is installed, upgraded and removed: debian.test.ts.
 */

const isPossible = hasTools('systemd');
const VERSION = '0.1.1-rc.1';
/** The one that is made fastest. */
const level = 1;

/** As a release has it, beside the folder that a package is made in. */
function smallRelease(name: string): string {
  const release = join(temporaryFolder(name), 'release');
  cpSync(join(root, 'deploy/systemd'), join(release, 'share/deploy/systemd'), { recursive: true });
  cpSync(join(root, 'docs'), join(release, 'docs'), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(release, 'LICENSE'));
  return release;
}

const ask = (...args: string[]) => execFileSync('dpkg-deb', args, { encoding: 'utf8' });

test('the same release is the same package, named after it, whenever its files were written', async () => {
  if (!isPossible) return;
  const [first, second] = [smallRelease('first'), smallRelease('second')];
  utimesSync(join(second, 'LICENSE'), 1, 1);
  const options = { version: VERSION, isLive: false, level };
  const [one, other] = [await packDebian(first, options), await packDebian(second, options)];
  expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
  const live = await packDebian(first, { ...options, isLive: true });
  const names = [one, live].map((file) => basename(file).replace(/_(?:amd64|arm64)\.deb$/, ''));
  expect(names).toEqual(['miftah-full_0.1.1~rc.1', 'miftah_0.1.1~rc.1']);
  expect(ask('--field', live, 'Conflicts', 'Replaces')).toBe(
    'Conflicts: miftah-full\nReplaces: miftah-full\n',
  );
});

test('it has unit, user and folders at their places, with sums, and the scripts of deploy/debian', async () => {
  if (!isPossible) return;
  const made = await packDebian(smallRelease('release'), {
    version: VERSION,
    isLive: false,
    level,
  });
  const at = temporaryFolder('unpacked');
  ask('--raw-extract', made, at);
  const kit = join(root, 'deploy/systemd');
  const units = readdirSync(kit).filter((name) => /\.(?:service|socket|timer)$/.test(name));
  expect(readdirSync(join(at, 'usr/lib/systemd/system')).toSorted()).toEqual(units.toSorted());
  const same = (path: string, source: string) =>
    expect(readFileSync(join(at, path), 'utf8')).toBe(readFileSync(join(root, source), 'utf8'));
  same('usr/lib/sysusers.d/miftah.conf', 'deploy/systemd/miftah.sysusers');
  same('usr/lib/tmpfiles.d/miftah.conf', 'deploy/systemd/miftah.tmpfiles');
  same('usr/share/doc/miftah/copyright', 'LICENSE');
  for (const name of readdirSync(join(root, 'deploy/debian'))) {
    same(`DEBIAN/${name}`, `deploy/debian/${name}`);
    expect(statSync(join(at, 'DEBIAN', name)).mode & 0o777, name).toBe(0o755);
    execFileSync('sh', ['-n', join(at, 'DEBIAN', name)]);
  }
  const contents = ask('--contents', made);
  expect(contents).toContain(' ./usr/bin/miftah -> /opt/miftah/bin/miftah\n');
  expect(contents).toMatch(/ \.\/usr\/sbin\/miftah-admin -> \/opt\/miftah\/share\/\S+\n/);
  // Nothing of /opt, /etc or /var is dpkg's, which would ask about it or take it away.
  expect(readdirSync(at).toSorted()).toEqual(['DEBIAN', 'usr']);
  execFileSync('md5sum', ['--check', '--quiet', 'DEBIAN/md5sums'], { cwd: at });
});
