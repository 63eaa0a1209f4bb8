import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findTool } from '../../../../scripts/debian.mjs';
import { holdLock } from '../../../../scripts/lock.mjs';
import { root, run } from '../../../../scripts/run.mjs';

/** What an empty machine has, and what docs/install.md asks for besides. */
const PACKAGES = ['systemd', 'dbus', 'libatomic1', 'libstdc++6'];
/** Part of the folder's name: another root is another folder. */
const VERSION = 3;
const UNUSED = [
  'usr/share/doc',
  'usr/share/locale',
  'usr/share/man',
  'var/cache/apt',
  'var/lib/apt',
];

/**
 * The files of a Debian with systemd, of the release and the mirror that this machine has. They are
 * made once in a checkout, in about 40 seconds, and never written again.
 * @throws Error when the packages can't be had
 */
export async function debianRoot(): Promise<string> {
  const folder = join(root, '.cache', `debian-systemd-${VERSION}`);
  if (existsSync(folder)) return folder;
  const unlock = await holdLock(`${folder}.lock`);
  try {
    if (!existsSync(folder)) await makeRoot(folder);
    return folder;
  } finally {
    unlock();
  }
}

async function makeRoot(folder: string): Promise<void> {
  const { mirror, codename } = await ownMirror();
  mkdirSync(dirname(folder), { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  const args = [
    '--variant=required',
    `--include=${PACKAGES.join(',')}`,
    // A root that was made by half is thrown away, so no file of it has to reach the disk first.
    '--dpkgopt=force-unsafe-io',
    codename,
    made,
    mirror,
  ];
  const { code, output } = await run(findTool('mmdebstrap') ?? 'mmdebstrap', args);
  if (code !== 0) {
    rmSync(made, { recursive: true, force: true });
    throw new Error(`mmdebstrap has not made a root: ${output.slice(-OUTPUT_SHOWN)}`);
  }
  // Not at once: the lock belongs to nobody when its holder does nothing else for ten seconds.
  for (const unused of UNUSED) await rm(join(made, unused), { recursive: true, force: true });
  // What an installer writes. Without the first, each boot would be the first boot for systemd.
  writeFileSync(join(made, 'etc/machine-id'), `${'0123456789abcdef'.repeat(2)}\n`);
  writeFileSync(join(made, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  chmodSync(made, 0o755);
  renameSync(made, folder);
}

const OUTPUT_SHOWN = 2000;

/** Where apt of this machine gets the packages of its own release. */
async function ownMirror(): Promise<{ mirror: string; codename: string }> {
  const format = '$(REPO_URI) $(CODENAME) $(SUITE) $(COMPONENT)';
  const { output } = await run('apt-get', [
    'indextargets',
    '--format',
    format,
    'Created-By: Packages',
  ]);
  const { output: release } = await run('sh', [
    '-c',
    '. /etc/os-release; echo "$VERSION_CODENAME"',
  ]);
  const codename = release.trim();
  const lines = output.split('\n').map((line) => line.split(' '));
  const [mirror] =
    lines.find(([, name, , component]) => name === codename && component === 'main') ?? [];
  if (mirror === undefined) throw new Error(`apt knows no packages of ${codename}: update it`);
  return { mirror, codename };
}
