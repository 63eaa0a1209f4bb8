import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { wayOut } from '../../errors/fault-words.ts';
import { isName, type Name, type Values } from '../names.ts';
import { SETTINGS } from '../settings.ts';
import type { Sources } from './sources.ts';

/** Far more than any secret needs: 1000 keys in RETIRED_SECRET_KEYS. */
const MOST_BYTES = 65_536;

/** The setting that names the file of a secret; null for a setting that is no secret. */
function fileSettingOf(name: Name): Name | null {
  const setting = `${name}_FILE`;
  return isName(setting) ? setting : null;
}

/** Each secret, with the setting that names its file. */
const SECRETS: readonly (readonly [secret: Name, setting: Name])[] = Object.keys(SETTINGS)
  .filter(isName)
  .flatMap((name) => {
    const setting = fileSettingOf(name);
    return setting === null ? [] : [[name, setting] as const];
  });

export interface SecretFile {
  readonly secret: Name;
  /** The setting that names the file, such as `SECRET_KEY_FILE`. */
  readonly setting: Name;
  readonly path: string;
  /** Of a copy that systemd makes at the start of a unit, and changes no more. */
  readonly isCredential?: boolean;
}

/** The files of secrets that the settings name. */
export function secretFilesIn(values: Values): readonly SecretFile[] {
  return SECRETS.flatMap(([secret, setting]) => {
    const path = values[setting];
    return path === undefined ? [] : [{ secret, setting, path }];
  });
}

/** The same, with what the environment of the service says of them. */
export function usedSecretFiles(
  values: Values,
  environment: NodeJS.ProcessEnv,
): readonly SecretFile[] {
  const folder = credentialsIn(environment);
  return secretFilesIn(values).map((file) =>
    folder !== null && resolve(file.path).startsWith(resolve(folder) + sep)
      ? { ...file, isCredential: true }
      : file,
  );
}

/** systemd names the folder of the credentials of a unit. */
function credentialsIn(environment: NodeJS.ProcessEnv): string | null {
  const folder = environment['CREDENTIALS_DIRECTORY'] ?? '';
  return folder === '' ? null : folder;
}

/** Under which of its two names a secret is set. Any other setting has one name. */
export function nameInUse(name: Name, values: Values): Name {
  const setting = fileSettingOf(name);
  return setting === null || values[setting] === undefined ? name : setting;
}

/** The settings with a word in place of each of these secrets that is set. */
export function withoutReading(values: Values, secrets: readonly Name[]): Values {
  const changed: Record<string, string | undefined> = { ...values };
  for (const secret of secrets) {
    const name = nameInUse(secret, values);
    if (values[name] === undefined) continue;
    delete changed[name];
    // Two secrets with one value are a fault.
    changed[secret] = `not-read-${secret}`;
  }
  return changed;
}

/**
 * The settings with the content of each file that holds a secret, in place of the secret. Each file
 * that can't be used is one fault, which has nothing of its content.
 */
export function withSecretFiles(values: Values, faults: string[], sources: Sources = {}): Values {
  const secrets: Record<string, string | undefined> = {};
  for (const { secret, setting, path } of secretFilesIn(values)) {
    if (values[secret] !== undefined) {
      const [one, other] = [setting, secret].map((name) => withSource(name, sources));
      faults.push(`${one} and ${other} are both set: keep one`);
      // A fault of the value is not one of the file.
      secrets[setting] = undefined;
      continue;
    }
    const read = readSecretFile(path);
    if ('fault' in read) faults.push(`${placeOfSecret({ setting, path })} ${read.fault}`);
    else secrets[secret] = read.text;
  }
  return { ...values, ...secrets };
}

/** The two may be from different places, such as the environment and a file. */
function withSource(name: Name, sources: Sources): string {
  const source = sources[name];
  return source === undefined ? name : `${name} (${source})`;
}

/**
 * The path as part of a fault. A text that does not look like a path is left out: it may be the
 * secret itself, which somebody has put there.
 */
export function shownPath(path: string): string {
  const isPath = isAbsolute(path) || /^\.{1,2}\//.test(path) || isFile(path);
  return isPath ? ` ${path}` : '';
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** @throws Error that says what to do, and has nothing of the content */
export function secretIn(setting: string, path: string): string {
  const read = readSecretFile(path);
  if ('fault' in read) throw new Error(`${placeOfSecret({ setting, path })} ${read.fault}`);
  return read.text;
}

/** The beginning of a fault. */
export const placeOfSecret = (file: { readonly setting: string; readonly path: string }) =>
  `${file.setting}${shownPath(file.path)}`;

type SecretRead = { readonly text: string } | { readonly fault: string };

/** The secret in a file, without the white space around it. */
export function readSecretFile(path: string): SecretRead {
  try {
    // A pipe would wait for somebody to write, and a device such as /dev/zero never ends.
    const { size, ...kind } = kindOf(path);
    if (kind.isFolder) return { fault: 'is a folder: name the file in it that holds the secret' };
    if (!kind.isFile) return { fault: 'is no regular file: name one that holds only the secret' };
    if (size > MOST_BYTES) {
      return { fault: `has more than ${MOST_BYTES} bytes: name a file that holds only the secret` };
    }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).trim();
    if (text === '') return { fault: 'is empty: write the secret into it' };
    return text.includes('\0') ? { fault: NO_TEXT } : { text };
  } catch (error) {
    return { fault: reasonOf(error, path) };
  }
}

function kindOf(path: string) {
  const status = statSync(path);
  return { size: status.size, isFile: status.isFile(), isFolder: status.isDirectory() };
}

const NO_TEXT = 'does not hold text: write the secret into it as text (UTF-8)';

const FORBIDDEN = 'names a file that this user may not read (EACCES)';
const GIVE =
  ': have it belong to the user of the service with mode 600, or to root and the group of the service ' +
  'with mode 640';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'names a file that is not there (ENOENT): make the file, or correct the path',
  ERR_ENCODING_INVALID_ENCODED_DATA: NO_TEXT,
};

/** By the error's code only: the system's message repeats the path. */
function reasonOf(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'EACCES') return FORBIDDEN + (wayOut(path, code) || GIVE);
  return REASONS[code] ?? `names a file that can't be read (${code}): check the path and the disk`;
}

/** Of containers: the runtime mounts the files for one container, readable by all its users. */
const CONTAINER_SECRETS = '/run/secrets';

/**
 * The folders that a supervisor fills for this service alone. The modes of their files say nothing:
 * other users of the machine do not have the folder, or can't enter it.
 */
export function suppliedFolders(environment: NodeJS.ProcessEnv): readonly string[] {
  const credentials = credentialsIn(environment);
  return credentials === null ? [CONTAINER_SECRETS] : [CONTAINER_SECRETS, credentials];
}
