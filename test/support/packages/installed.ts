import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { machineFolders } from '../../../scripts/run.mjs';

const MEGABYTE = 1024 * 1024;
const NO_EXTRAS = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of somebody who has no checkout. */
export class EmptyFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'miftah-stranger-'));

  constructor() {
    writeFileSync(join(this.path, 'package.json'), '{ "private": true }');
  }

  /** @throws Error with what npm said */
  async install(what: readonly string[], ...flags: readonly string[]): Promise<void> {
    const { code, stderr } = await this.run('npm', ['install', ...NO_EXTRAS, ...flags, ...what]);
    if (code !== 0) throw new Error(stderr);
  }

  /** Puts a package there without the packages that it needs, which only npm knows. */
  place(name: string, folder: string): void {
    cpSync(folder, join(this.path, 'node_modules', name), { recursive: true });
  }

  /** A library of this checkout, which finds those that it needs where it is. */
  link(name: string, from: string): void {
    const place = join(this.path, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(place)) symlinkSync(join(from, name), place);
  }

  /** A command, as npm makes it. @param file below `node_modules` */
  linkBin(name: string, file: string): void {
    mkdirSync(dirname(this.bin(name)), { recursive: true });
    symlinkSync(join('..', file), this.bin(name));
  }

  /** The programs of the machine and of this folder, and none of the checkout's. */
  run(program: string, args: readonly string[]): Promise<Ran> {
    return runIn(this.path, program, args);
  }

  bin(name: string): string {
    return join(this.path, 'node_modules', '.bin', name);
  }

  installedMegabytes(): number {
    const modules = join(this.path, 'node_modules');
    const files = readdirSync(modules, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
    return sizes.reduce((sum, size) => sum + size, 0) / MEGABYTE;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A program that ends by itself, whatever its exit code. */
export async function runIn(
  cwd: string,
  program: string,
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  try {
    const env = { ...strangersEnvironment(), ...settings };
    const ran = promisify(execFile)(program, args, { cwd, env });
    return { code: 0, ...(await ran) };
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && 'stderr' in error && 'code' in error) {
      const { code, stdout, stderr } = error;
      return { code: Number(code), stdout: String(stdout), stderr: String(stderr) };
    }
    throw error;
  }
}

/** The programs of the machine, and no setting of this test run but where npm keeps its files. */
export function strangersEnvironment(): NodeJS.ProcessEnv {
  const { HOME, npm_config_cache: cache } = process.env;
  const path = machineFolders().join(delimiter);
  return { HOME, PATH: path, ...(cache === undefined ? {} : { npm_config_cache: cache }) };
}

export interface Developing {
  readonly address: { readonly url: string; readonly baseUrl: string };
  readonly child: ChildProcess;
  /** Where its store is. */
  readonly folder: string;
}

/** `miftah dev --port 0 --json`, by the Node at this path. */
export async function develop(folder: EmptyFolder, node: string): Promise<Developing> {
  const temporary = mkdtempSync(join(folder.path, 'temporary-'));
  const args = [folder.bin('miftah'), 'dev', '--port', '0', '--json'];
  const env = { ...strangersEnvironment(), TMPDIR: temporary };
  const child = spawn(node, args, { cwd: folder.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const first = once(createInterface(child.stdout), 'line').then(([line]) => String(line));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(said.join(''))));
  const address = addressIn(await Promise.race([first, ended]));
  ended.catch(() => undefined);
  const [name = ''] = readdirSync(temporary);
  return { address, child, folder: join(temporary, name) };
}

function addressIn(line: string): Developing['address'] {
  const said: unknown = JSON.parse(line);
  if (typeof said === 'object' && said !== null && 'url' in said && 'baseUrl' in said) {
    return { url: String(said.url), baseUrl: String(said.baseUrl) };
  }
  throw new Error(`this names no address: ${line}`);
}

/** @returns the exit code; null after a signal */
export async function stop({ child }: Developing): Promise<number | null> {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
  return child.exitCode;
}
