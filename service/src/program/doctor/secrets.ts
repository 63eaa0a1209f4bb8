import { statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { Loaded } from '../../config.ts';
import { secretFilesIn, type SecretFile } from '../../config/secret-files.ts';
import { fault, ok, warning, type Finding } from '../../domain/finding.ts';

/** What is known of the settings. */
export type Settings = Pick<Loaded, 'config' | 'given' | 'supplied'>;

const CHECK = 'secret.key';
const OTHERS = 0o007;
const GROUP = 0o070;
const WRITE = 0o022;

/** Where secrets are, and whether others may open the files that hold them. */
export function examineSecrets({ config, given, supplied }: Settings): Finding[] {
  const { secretKey } = config;
  const files = secretFilesIn(given);
  const findings = files.map((file) => examineSecretFile(file, supplied));
  if (files.some(({ secret }) => secret === 'SECRET_KEY')) return findings;
  const place = secretKey === null ? 'in DATA_DIR' : 'in the environment';
  return [ok(CHECK, `SECRET_KEY is ${place}.`), ...findings];
}

function examineSecretFile(
  { secret, setting, path }: SecretFile,
  supplied: readonly string[],
): Finding {
  const check = secret === 'SECRET_KEY' ? CHECK : 'secret.file';
  const { mode } = statSync(path);
  if ((mode & WRITE) !== 0) {
    return fault(check, `Other users may change ${setting} ${path}.`, `Run: chmod 600 ${path}`);
  }
  const isSupplied = supplied.some((folder) => resolve(path).startsWith(resolve(folder) + sep));
  if (isSupplied) return ok(check, `${setting} ${path} is given to this service.`);
  if ((mode & OTHERS) !== 0) {
    const what = `Other users may open ${setting} ${path}.`;
    return fault(check, what, `Run: chmod 600 ${path}`);
  }
  if ((mode & GROUP) !== 0) {
    const what = `Every user of its group may read ${setting} ${path}.`;
    return warning(check, what, 'Unless that is meant, run: chmod 600 on it.');
  }
  return ok(check, `${setting} ${path} is for its owner only.`);
}
