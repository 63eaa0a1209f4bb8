import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The control group of a machine. systemd-nspawn makes the groups of a machine below the group that
 * it runs in, always with the same names. So without a group of its own two machines at once have one
 * group for units of one name, and the end of a unit on one machine removes the group in which the
 * other machine is about to start it (exit status 219/CGROUP).
 */
export class ControlGroup {
  readonly #name: string;
  /** Where the hierarchy is mounted, in mount namespaces that end with their program. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'miftah-cgroup-'));

  constructor(name: string) {
    this.#name = name;
  }

  /** @returns a command that makes the group, and then runs the given one in it, in its place */
  run(command: readonly string[]): string[] {
    return this.#command(ENTER, command);
  }

  /** After its last process. What the kernel still keeps then is empty, and of no use to anybody. */
  remove(): void {
    const [program = '', ...args] = this.#command(REMOVE, []);
    spawnSync(program, args);
    rmdirSync(this.#folder);
  }

  #command(script: string, command: readonly string[]): string[] {
    const mounted = `mount -t cgroup2 none "$0"; ${script}`;
    return ['unshare', '--mount', 'sh', '-euc', mounted, this.#folder, this.#name, ...command];
  }
}

const ENTER = 'mkdir "$0/$1"; echo $$ > "$0/$1/cgroup.procs"; umount --lazy "$0"; shift; exec "$@"';
/** systemd-nspawn makes groups of the same names in the older hierarchy too, where there is one. */
const REMOVE = `for all in "$0" /sys/fs/cgroup/systemd; do
  if [ -d "$all/$1" ]; then find "$all/$1" -depth -type d -exec rmdir {} +; fi
done`;
