import type { X509Certificate } from 'node:crypto';
import { existsSync, lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import process from 'node:process';
import type { Config, Loaded, SettingsFile } from '../../config/config.ts';
import type { SecretFile } from '../../config/source/secret-files.ts';
import type { Sources } from '../../config/source/sources.ts';
import { receiversOf } from '../require-clients.ts';
import { asSentence, fault, ok, warning, type Finding } from './finding.ts';
import { isoTimestamp, type Ms } from '../../values/time.ts';
import { AuthoritiesFileError, readAuthorities } from '../../platform/files/authorities-file.ts';
import {
  GROUP_RIGHTS,
  GROUP_WRITES,
  hasMode,
  OTHERS_ENTER,
  OTHERS_OR_GROUP_ENTER,
  OTHERS_RIGHTS,
  OTHERS_WRITE,
} from '../../platform/files/modes.ts';
import { ownId, ROOT } from '../../platform/files/private-files.ts';
import { hasSecretKey } from '../../platform/keys/secret-key.ts';
import { systemClock } from '../../platform/runtime.ts';
import { shellWord } from '../../platform/shell-word.ts';

const FOREIGN_WRITE = GROUP_WRITES + OTHERS_WRITE;

/** The settings, and where they were read. */
export type ReadSettings = Pick<Loaded, 'config' | 'sources' | 'file' | 'supplied' | 'misspelt'>;

export function usableSettings({ config, sources }: Pick<Loaded, 'config' | 'sources'>): Finding {
  return ok(
    'settings',
    `The settings can be used: PROVIDER=${config.provider}. ${originsOf(sources)}`,
  );
}

/** Not every service is started with what this command was given: `4 are from miftah.env`. */
function originsOf(sources: Sources): string {
  const counts = new Map<string, number>();
  for (const source of Object.values(sources)) counts.set(source, (counts.get(source) ?? 0) + 1);
  const origins = [...counts].map(([source, count]) => `${count} ${source}`);
  return origins.length === 0 ? 'All are defaults.' : `Set: ${origins.join(', ')}.`;
}

/**
 * The files that the settings are in or name: who may read those with secrets, and who may change
 * any of them. A start warns of what is found here. Windows has no modes to look at.
 */
export function examineSettingsFiles(loaded: ReadSettings, user = ownId()): Finding[] {
  if (process.platform === 'win32') return [];
  const { config, file, supplied } = loaded;
  const files = config.secretFiles;
  const reader = { user, supplied };
  return [
    ...(files.some(({ secret }) => secret === 'SECRET_KEY') ? [] : [placeOfKey(loaded)]),
    ...files.map((one) => examineSecretFile(one, reader)),
    ...(file === null ? [] : [examineSettings(file, reader), ...unusedFiles(file, config)]),
    ...examineClientsFile(config, reader),
    ...examineRolesFile(config),
    ...examineAuthorities(config),
  ];
}

interface Reader {
  /** Who runs this. */
  readonly user: number;
  /** The folders of secrets that are for this service alone. */
  readonly supplied: readonly string[];
}

const KEY = 'secret.key';

function placeOfKey({ config, sources }: ReadSettings): Finding {
  if (sources.SECRET_KEY !== undefined) return ok(KEY, `SECRET_KEY is ${sources.SECRET_KEY}.`);
  return hasSecretKey(config.dataDir)
    ? ok(KEY, 'SECRET_KEY is in DATA_DIR.')
    : ok(KEY, 'SECRET_KEY is not set: a start makes one in DATA_DIR if that has no data.');
}

const COPY = 'a copy that systemd has made at this start; one that runs has the copy of its own';

function examineSecretFile(
  { secret, setting, path, isCredential = false }: SecretFile,
  reader: Reader,
): Finding {
  const check = secret === 'SECRET_KEY' ? KEY : 'secret.file';
  const file = `${setting} ${path}`;
  const status = statSync(path);
  if ((status.mode & FOREIGN_WRITE) !== 0) {
    return fault(check, `Other users may change ${file}.`, `Run: chmod 600 ${shellWord(path)}`);
  }
  if (isCredential) return ok(check, `${file} is given to this service: ${COPY}.`);
  if (isSupplied(path, reader)) return ok(check, `${file} is given to this service.`);
  return findingOfReaders(check, { file, path, status, user: reader.user });
}

function examineSettings({ path, hasSecrets }: SettingsFile, reader: Reader): Finding {
  const check = 'settings.file';
  const file = `the settings file ${path}`;
  const status = statSync(path);
  if ((status.mode & OTHERS_WRITE) !== 0) {
    return fault(check, `Every user may change ${file}.`, `Run: chmod o-w ${shellWord(path)}`);
  }
  if (!hasSecrets) return ok(check, `There is no secret in ${file}.`);
  if (isSupplied(path, reader)) return ok(check, `This service is given ${file}.`);
  const { user } = reader;
  return findingOfReaders(check, { file: `${file}, which has secrets in it`, path, status, user });
}

/**
 * systemd gives a unit each file of its folder of secrets, and the setting for it comes before that of
 * the file of settings. What `miftah init` writes there is the same file.
 */
function unusedFiles(file: SettingsFile, { secretFiles }: Config): Finding[] {
  const given = secretFiles.filter(({ isCredential }) => isCredential === true);
  return file.secretFiles
    .filter(({ path }) => !path.startsWith('/etc/miftah/secrets/'))
    .filter(({ setting }) => given.some((other) => other.setting === setting))
    .map(({ setting, path }) => {
      const what =
        `${setting}=${path} in ${file.path} is not used, because systemd gives the service another ` +
        'file of /etc/miftah/secrets, which it reads at a start alone.';
      return warning('secret.file', what, 'Move one of the two away, and restart the service.');
    });
}

/**
 * Who can write it decides who may use the service. It has hashes of keys, and no key, but the secrets
 * that webhooks are signed with.
 */
function examineClientsFile(config: Config, reader: Reader): Finding[] {
  const { live, simulator } = config;
  const check = 'clients.file';
  const path = live?.clientsFile ?? simulator?.clientsFile ?? null;
  if (path === null || !existsSync(path)) return [];
  const { mode } = statSync(path);
  if ((mode & OTHERS_WRITE) !== 0) {
    return [fault(check, `Every user may write ${path}.`, `Run: chmod o-w ${shellWord(path)}`)];
  }
  if (live !== null && isOpenToAll(path, mode) && !isSupplied(path, reader)) {
    if (hasWebhooks(config)) {
      const what = `Every user may read ${path}, which has secrets of webhooks.`;
      return [fault(check, what, `Run: chmod o-rwx ${shellWord(path)}`)];
    }
    const what = `Every user may read ${path}: the applications, and the hashes of their keys.`;
    return [warning(check, what, `Unless that is meant, run: chmod o-rwx ${shellWord(path)}`)];
  }
  return [ok(check, `Only its owner and group may write ${path}.`)];
}

/** What is wrong with the file is a finding of its own (`clients`). */
function hasWebhooks(config: Config): boolean {
  try {
    return receiversOf(config).length > 0;
  } catch {
    return false;
  }
}

/** Who can write it is an administrator of the pages for operators. It has no secret. */
function examineRolesFile({ operator }: Config): Finding[] {
  const check = 'operator.roles';
  const path = operator?.people?.rolesFile ?? null;
  if (path === null || !existsSync(path)) return [];
  if ((statSync(path).mode & FOREIGN_WRITE) !== 0) {
    return [fault(check, `Other users may write ${path}.`, `Run: chmod go-w ${shellWord(path)}`)];
  }
  return [ok(check, `Only its owner may write ${path}.`)];
}

/** Node leaves out a file that it can't read, and says so in one line that is no finding. */
function examineAuthorities({ authoritiesFile: path, provider }: Config): Finding[] {
  const check = 'authorities.file';
  if (path === null) return [];
  try {
    const authorities = readAuthorities(path);
    const ended = endedIn(authorities, systemClock.now());
    const whose = `NODE_EXTRA_CA_CERTS ${path}`;
    // A system's own bundle often has some. Nobody has to act on them while others are good, nor
    // where no provider is called.
    if (ended.length < authorities.length || provider !== 'live') {
      return [ok(check, `${whose} can be used${someIn(authorities, ended)}.`)];
    }
    const named = ended.slice(0, MOST_NAMED).join('; ');
    const others = ended.length > MOST_NAMED ? `, and ${ended.length - MOST_NAMED} more` : '';
    const what = `${whose}: all its certificates have ended: ${named}${others}.`;
    const remedy = 'Put the present certificates of these authorities into the file.';
    return [warning(check, what, remedy)];
  } catch (error) {
    if (!(error instanceof AuthoritiesFileError)) throw error;
    const remedy =
      'Nothing in it is trusted. Correct the file and reload the service, or the path and restart it.';
    return [fault(check, asSentence(error.message), remedy)];
  }
}

/** The rest is counted. */
const MOST_NAMED = 3;

/** Where there are more than a few, it is a system's bundle, in which nobody looks for one. */
function someIn(authorities: readonly X509Certificate[], ended: readonly string[]): string {
  if (ended.length === 0) return '';
  const named = ended.length > MOST_NAMED ? '' : ` (${ended.join('; ')})`;
  return `; of its ${authorities.length} certificates ${ended.length} have ended${named}`;
}

function endedIn(authorities: readonly X509Certificate[], now: Ms): string[] {
  const ended = authorities.filter(({ validToDate }) => validToDate.getTime() < now);
  return ended.map(
    ({ subject, validToDate }) =>
      `${subject.replaceAll('\n', ', ')}, on ${isoTimestamp(validToDate.getTime())}`,
  );
}

interface Readable {
  readonly file: string;
  readonly path: string;
  readonly status: Stats;
  /** Who runs this. */
  readonly user: number;
}

/**
 * The group may read a file of root: so root gives a service, or Kubernetes a pod, what it can't
 * change. The owner of any other file needs no right of the group.
 */
function findingOfReaders(check: string, { file, path, status, user }: Readable): Finding {
  const { mode, uid } = status;
  if (isOpenToAll(path, mode)) {
    return fault(check, `Other users may open ${file}.`, `Run: chmod o-rwx ${shellWord(path)}`);
  }
  const isGiven = uid === ROOT && user !== ROOT;
  if (isOpenToGroup(path, mode) && !isGiven) {
    const what = `Every user of its group may read ${file}.`;
    return warning(check, what, `Unless that is meant, run: chmod 600 ${shellWord(path)}`);
  }
  return ok(check, `No other user can read ${file}.`);
}

function isOpenToAll(path: string, mode: number): boolean {
  return (mode & OTHERS_RIGHTS) !== 0 && isBelowFolders(path, OTHERS_ENTER);
}

/** A folder may have another group than the file, so one that either may enter bars nobody. */
function isOpenToGroup(path: string, mode: number): boolean {
  return (mode & GROUP_RIGHTS) !== 0 && isBelowFolders(path, OTHERS_OR_GROUP_ENTER);
}

/** Nobody opens a file below a folder that they may not enter: whether all have one of the rights. */
function isBelowFolders(path: string, rights: number): boolean {
  try {
    return foldersAbove(realpathSync(path)).every((folder) => hasMode(folder, rights));
  } catch {
    // A descriptor of a file that was removed, or that is below a folder which even this process may
    // not enter: it was opened by somebody else, and nobody finds it by its path.
    return false;
  }
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

/** Whether a supervisor has made the file for this service: other users have no way to it. */
function isSupplied(path: string, { supplied }: Reader): boolean {
  const isIn = (folder: string) => resolve(path).startsWith(resolve(folder) + sep);
  return supplied.some((folder) => isIn(folder)) || isOfKubernetes(dirname(path));
}

/** Kubernetes changes all files of a volume at once, by this link. */
function isOfKubernetes(folder: string): boolean {
  return lstatSync(join(folder, '..data'), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
