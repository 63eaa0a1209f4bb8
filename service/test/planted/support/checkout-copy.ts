import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';

/** A copy of the sources that may be damaged. `remove` deletes all of it. */
export interface Workshop {
  /** The copy of the checkout. */
  readonly copy: string;
  /** A folder for the files that the programs of a run write. */
  readonly scratch: string;
  remove(): void;
}

/** Every file that is committed or would be. */
export function listSources(root: string): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  return [...new Set(output.split('\0').filter(Boolean))];
}

export function openWorkshop(root: string, sources: readonly string[]): Workshop {
  // The real path, because reports contain real paths.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'miftah-planted-')));
  // The data of a PostgreSQL server is below it, and as root the server runs as another user.
  chmodSync(folder, 0o711);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const [copy, scratch] = [join(folder, 'copy'), join(folder, 'scratch')];
  try {
    for (const made of [copy, scratch]) mkdirSync(made);
    for (const file of sources) copyInto(copy, root, file);
    linkPackages(join(root, 'node_modules'), copy);
  } catch (error) {
    remove();
    throw error;
  }
  return { copy, scratch, remove };
}

function copyInto(copy: string, root: string, file: string): void {
  const from = join(root, file);
  // A deleted file that git still lists.
  if (!existsSync(from)) return;
  const to = join(copy, file);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/**
 * Workspaces are linked as packages to the checkout's sources. In the copy the links must lead to
 * the copy, so that a bug planted in one workspace also affects the others.
 */
function linkPackages(modules: string, copy: string): void {
  const workspaces = workspacesOf(copy);
  for (const [name, folder] of workspaces) linkPackage(copy, name, join(copy, folder));
  for (const name of packageNames(modules).filter((one) => !workspaces.has(one))) {
    const real = realpathSync(join(modules, name));
    if (!real.includes(`${sep}node_modules${sep}`)) {
      throw new Error(`${name} leads to ${real}, out of the copy: a bug in it would not be seen`);
    }
    linkPackage(copy, name, real);
  }
}

function linkPackage(copy: string, name: string, target: string): void {
  const link = join(copy, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(target, link, 'junction');
}

/** The folder of each workspace, by its package name. */
function workspacesOf(root: string): ReadonlyMap<string, string> {
  const { workspaces = [] } = readPackage(root);
  return new Map(workspaces.map((folder) => [readPackage(join(root, folder)).name, folder]));
}

function readPackage(folder: string): { name: string; workspaces?: readonly string[] } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<
    typeof readPackage
  >;
}

/** The packages and the folder of programs, without caches and lists of the installation. */
function packageNames(modules: string): string[] {
  return readdirSync(modules).flatMap((name) => {
    if (name.startsWith('@')) {
      return readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`);
    }
    return name.startsWith('.') && name !== '.bin' ? [] : [name];
  });
}
