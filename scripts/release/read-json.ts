import { readFileSync } from 'node:fs';

/**
 * Reads a file that npm has written.
 * @throws Error when it is not of the expected form
 */
export function readJson<Form>(path: string, isOfForm: (value: unknown) => value is Form): Form {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (isOfForm(value)) return value;
  throw new Error(`${path} lacks what a release needs of it`);
}

export interface Installed {
  readonly name: string;
  readonly version: string;
}

/** Whether it is a package.json. */
export function isPackageFile(value: unknown): value is Installed {
  return hasMembers(value, ['name', 'version']);
}

export function hasMembers(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}
