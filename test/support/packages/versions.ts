import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

export interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

/** Every version in the project's own packages and their lock, with its place. */
export function versionsIn(folder: string): ReadonlySet<string> {
  const { workspaces = [] } = JSON.parse(read(folder, 'package.json')) as {
    readonly workspaces?: readonly string[];
  };
  const files = ['.', ...workspaces].map((name) => read(folder, join(name, 'package.json')));
  const { packages } = JSON.parse(read(folder, 'package-lock.json')) as {
    readonly packages: Readonly<Record<string, Package>>;
  };
  const listed = files.map((text) => JSON.parse(text) as Package);
  const locked = ['', ...workspaces]
    .map((name) => packages[name])
    .filter((one) => one !== undefined);
  const [, ofPython = ''] =
    /^version = "(.+)"$/m.exec(read(folder, 'clients/python/pyproject.toml')) ?? [];
  return new Set([
    ofPython,
    ...[...listed, ...locked].flatMap(({ version, dependencies = {} }) => [
      version,
      ...Object.entries(dependencies).flatMap(([name, own]) =>
        name.startsWith('@miftah/') ? [own] : [],
      ),
    ]),
  ]);
}
