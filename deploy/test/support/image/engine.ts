import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { run } from '../../../../scripts/run.mjs';

/** The environment variable that names the folder with the images and containers of a run. */
export const CONTAINERS = 'TEST_CONTAINERS';
export const STORAGE_FILE = 'storage.conf';
/** Between two questions: each is a program of the engine, and some run another in a container. */
export const ENGINE_PAUSE_MS = 250;

type Outcome = Readonly<{ code: number; output: string }>;

/**
 * buildah and podman with a storage of their own, so that the tests see no images of the machine
 * and leave none. No registry is known, so that a missing image is a fault and not a download.
 */
export interface Engine {
  readonly folder: string;
  /** The parent of the cgroups of all containers. */
  readonly cgroup: string;
  podman(...args: readonly string[]): Promise<Outcome>;
  /** @throws Error with what was said when it did not succeed */
  expectPodman(...args: readonly string[]): Promise<string>;
  expectBuildah(...args: readonly string[]): Promise<string>;
  removeAll(): Promise<void>;
}

const CGROUPS = '/sys/fs/cgroup';

export function engineIn(folder: string): Engine {
  const settings = writeSettings(folder);
  const cgroup = `/${basename(folder)}`;
  const call = (program: string, args: readonly string[]) => run(program, [...args], settings);
  const expectCall = async (program: string, args: readonly string[]) => {
    const { code, output } = await call(program, args);
    if (code === 0) return output.trim();
    throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`);
  };
  return {
    folder,
    cgroup,
    podman: (...args) => call('podman', args),
    expectPodman: (...args) => expectCall('podman', args),
    expectBuildah: (...args) => expectCall('buildah', args),
    async removeAll() {
      await call('podman', ['rm', '--all', '--force', '--time', '0']);
      await call('buildah', ['rm', '--all']);
      await call('podman', ['rmi', '--all', '--force']);
      removeCgroups(cgroup);
    },
  };
}

/** The engine of this run, which all test files share. */
export function sharedEngine(): Engine {
  const folder = process.env[CONTAINERS];
  if (folder === undefined) throw new Error(`${CONTAINERS} is set by the project deploy alone`);
  return engineIn(folder);
}

function writeSettings(folder: string): Record<string, string> {
  const files = {
    [STORAGE_FILE]: `[storage]
driver = "overlay"
graphroot = "${folder}/graph"
runroot = "${folder}/run"
`,
    'containers.conf': `[containers]
default_ulimits = []
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
runtime = "runc"
static_dir = "${folder}/static"
tmp_dir = "${folder}/tmp"
volume_path = "${folder}/volumes"
`,
    'registries.conf': 'unqualified-search-registries = []\n',
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    if (!existsSync(join(folder, name))) writeFileSync(join(folder, name), text);
  }
  return {
    CONTAINERS_STORAGE_CONF: join(folder, STORAGE_FILE),
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_REGISTRIES_CONF: join(folder, 'registries.conf'),
    // Otherwise podman asks systemd for a timer for each health check.
    DISABLE_HC_SYSTEMD: 'true',
  };
}

/** A kernel has one hierarchy of cgroups, or one for each controller with links to them. */
function removeCgroups(cgroup: string): void {
  for (const controller of ['', ...readdirSync(CGROUPS)]) {
    // conmon is what watches a container for podman.
    for (const path of [join(cgroup, 'conmon'), cgroup]) {
      const folder = join(CGROUPS, controller, path);
      if (existsSync(folder)) rmdirSync(folder);
    }
  }
}
