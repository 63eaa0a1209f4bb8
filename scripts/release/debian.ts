import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { root, run } from '../run.mjs';
import { timeOfCommit, writeSum } from './tar.ts';

/** Debian's names of the processors that the pinned Node is made for. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'];
/** Where dpkg unpacks the release. postinst makes /opt/miftah a link to a copy beside it. */
const PLACE = 'usr/lib/miftah/package';
const UNITS = 'usr/lib/systemd/system';
/** What dpkg-deb itself would take. */
const LEVEL = 19;
/** Links on the PATH, and the programs of the release that they lead to. */
const LINKS: Readonly<Record<string, string>> = {
  'usr/bin/miftah': 'bin/miftah',
  'usr/sbin/miftah-admin': 'share/deploy/systemd/miftah-admin',
};

export interface DebianOptions {
  /** As in package.json. */
  readonly version: string;
  readonly isLive: boolean;
  /** Of zstd. The highest that is usual, when it is left out; a low one is ten times as fast. */
  readonly level?: number;
}

/**
 * Packs a release as a package of Debian beside its folder, with its SHA-256 sum. The same release
 * gives the same bytes.
 * @returns the path of the package
 * @throws Error without dpkg-deb, or for a processor that has no name
 */
export async function packDebian(release: string, options: DebianOptions): Promise<string> {
  const architecture = ARCHITECTURES[process.arch];
  if (process.platform !== 'linux' || architecture === undefined) {
    throw new Error('a package of Debian is made on Linux, for x64 or arm64');
  }
  const name = options.isLive ? 'miftah' : 'miftah-full';
  // A tilde sorts before the end of the version: 1.0.0-rc.1 comes before 1.0.0.
  const version = options.version.replace('-', '~');
  const file = join(dirname(release), `${name}_${version}_${architecture}.deb`);
  const staged = mkdtempSync(join(dirname(release), '.debian-'));
  try {
    // It stands for the root of the file system.
    chmodSync(staged, 0o755);
    stageFiles(release, staged);
    writeControl(staged, controlOf({ name, version, architecture, kilobytes: sizeOf(staged) }));
    const level = `-z${options.level ?? LEVEL}`;
    const args = ['--root-owner-group', '-Zzstd', level, '--build', staged, file];
    const time = { SOURCE_DATE_EPOCH: await timeOfCommit() };
    const { code, output } = await run('dpkg-deb', args, time);
    if (code !== 0) throw new Error(`dpkg-deb failed, which Debian's dpkg brings: ${output}`);
  } finally {
    rmSync(staged, { recursive: true });
  }
  await writeSum(file);
  return file;
}

function stageFiles(release: string, staged: string): void {
  const kit = join(release, 'share', 'deploy', 'systemd');
  const place = (path: string) => {
    mkdirSync(dirname(join(staged, path)), { recursive: true });
    return join(staged, path);
  };
  cpSync(release, place(PLACE), { recursive: true });
  for (const unit of globSync('*.{service,socket,timer}', { cwd: kit })) {
    cpSync(join(kit, unit), place(`${UNITS}/${unit}`));
  }
  cpSync(join(kit, 'miftah.sysusers'), place('usr/lib/sysusers.d/miftah.conf'));
  cpSync(join(kit, 'miftah.tmpfiles'), place('usr/lib/tmpfiles.d/miftah.conf'));
  cpSync(join(release, 'LICENSE'), place('usr/share/doc/miftah/copyright'));
  symlinkSync('/opt/miftah/docs', place('usr/share/doc/miftah/docs'));
  for (const [link, program] of Object.entries(LINKS)) {
    symlinkSync(`/opt/miftah/${program}`, place(link));
  }
}

interface Control {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly kilobytes: number;
}

function controlOf({ name, version, architecture, kilobytes }: Control): string {
  const other = name === 'miftah' ? 'miftah-full' : 'miftah';
  return `Package: ${name}
Version: ${version}
Architecture: ${architecture}
Maintainer: The Miftah project <noreply@miftah.invalid>
Section: net
Priority: optional
Installed-Size: ${kilobytes}
Depends: libatomic1, libc6 (>= 2.28), libstdc++6 (>= 10), systemd (>= 247)
Conflicts: ${other}
Replaces: ${other}
Description: authentication attempt service
 Signs people in through a national identity provider, for applications that
 start an attempt and exchange it for an API token.
`;
}

/** The file of control, the scripts, and the sums by which `dpkg --verify` finds what was changed. */
function writeControl(staged: string, control: string): void {
  const sums = filesIn(staged).map((path) => {
    const sum = createHash('md5')
      .update(readFileSync(join(staged, path)))
      .digest('hex');
    return `${sum}  ${path}\n`;
  });
  const folder = join(staged, 'DEBIAN');
  mkdirSync(folder);
  writeFileSync(join(folder, 'control'), control);
  writeFileSync(join(folder, 'md5sums'), sums.join(''));
  for (const name of SCRIPTS) cpSync(join(root, 'deploy', 'debian', name), join(folder, name));
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).toSorted();
}

function sizeOf(folder: string): number {
  const bytes = filesIn(folder).map((path) => statSync(join(folder, path)).size);
  return Math.ceil(bytes.reduce((sum, one) => sum + one, 0) / 1024);
}
