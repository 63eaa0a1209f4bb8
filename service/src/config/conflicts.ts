import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Ms } from '../values/time.ts';
import type { Name, Values } from './names.ts';
import { nameInUse, secretFilesIn } from './source/secret-files.ts';

interface Chosen {
  readonly publicUrl: string;
  readonly dataDir: string;
  readonly database: object | null;
  readonly secretKey: object | null;
  readonly retentionMs: Ms;
  readonly retentionLimits: { readonly callsMs: Ms | null };
  readonly auditHeadFile: string | null;
  readonly live: { readonly url: string } | null;
}

/** Settings that can be used one by one, and not together. @param file that `--config` names */
export function conflictFaults(
  config: Chosen,
  values: Values,
  file: string | undefined,
): readonly string[] {
  return [
    ...databaseFaults(config),
    ...retentionFaults(config),
    ...headFaults(config),
    ...fileFaults(values, file),
    ...secretFaults(values),
    ...(config.live !== null && config.live.url === config.publicUrl
      ? ['PROVIDER_URL is PUBLIC_URL, so the service would ask itself: set that of the provider']
      : []),
  ];
}

/** Of a service that was started without SECRET_KEY in simulator mode. */
const KEY_FILE = 'secret.key';

/** Every instance has to open what another one has sealed. */
function databaseFaults({ database, secretKey, dataDir }: Chosen): string[] {
  if (database === null || secretKey !== null) return [];
  const file = join(resolve(dataDir), KEY_FILE);
  const advice = existsSync(file)
    ? `. That of the store in DATA_DIR is SECRET_KEY_FILE=${file}`
    : '';
  return [`SECRET_KEY is required with DATABASE_URL: all instances need the same key${advice}`];
}

/** Calls are removed with their attempt, so a longer time would promise what does not happen. */
function retentionFaults({ retentionMs, retentionLimits: { callsMs } }: Chosen): string[] {
  if (callsMs === null || callsMs <= retentionMs) return [];
  return ['RETENTION_CALLS is longer than RETENTION: a call is removed with its attempt'];
}

/** Whoever replaces the folder of the store must not replace the head with it. */
function headFaults({ auditHeadFile, dataDir, database }: Chosen): string[] {
  // The store is not in DATA_DIR then.
  if (auditHeadFile === null || database !== null) return [];
  const way = relative(placeOf(dataDir), placeOf(auditHeadFile));
  if (way === '..' || way.startsWith('../')) return [];
  return [
    'AUDIT_HEAD_FILE is in DATA_DIR, and an older copy of that folder would bring its older head ' +
      'with it: set it to a file elsewhere, better on another disk',
  ];
}

/** The file of two settings. That of two secrets is found by its content. */
function fileFaults(values: Values, file: string | undefined): string[] {
  const { AUDIT_HEAD_FILE, AUDIT_CURSOR_FILE, CLIENTS_FILE, OPERATOR_ROLES_FILE } = values;
  const secrets = secretFilesIn(values).map(({ setting, path }) => [setting, path] as const);
  const others = [
    ['AUDIT_HEAD_FILE', AUDIT_HEAD_FILE],
    ['AUDIT_CURSOR_FILE', AUDIT_CURSOR_FILE],
    ['CLIENTS_FILE', CLIENTS_FILE],
    ['OPERATOR_ROLES_FILE', OPERATOR_ROLES_FILE],
    ['--config', file],
  ] as const;
  const named = [...others, ...secrets].flatMap(([name, path]) =>
    path === undefined || path === '' ? [] : [{ name, place: placeOf(path) }],
  );
  return pairsOf(named)
    .filter(([one, other]) => one.place === other.place && !areSecrets(secrets, one, other))
    .map(([one, other]) => `${one.name} and ${other.name} name the same file: each needs its own`);
}

function areSecrets(
  secrets: readonly (readonly [setting: string, path: string])[],
  ...named: readonly { readonly name: string }[]
): boolean {
  return named.every(({ name }) => secrets.some(([setting]) => setting === name));
}

/** How each is compared: keys of the service are hexadecimal, and one setting has a list of them. */
const SECRETS: readonly (readonly [Name, (text: string) => readonly string[]])[] = [
  ['SECRET_KEY', hexadecimal],
  ['RETIRED_SECRET_KEYS', hexadecimal],
  ['PROVIDER_APP_ID', asItIs],
  ['PROVIDER_APP_KEY', asItIs],
  ['SIMULATOR_TOKEN', asItIs],
  ['OPERATOR_CLIENT_SECRET', asItIs],
];

function hexadecimal(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function asItIs(text: string): readonly string[] {
  return text === '' ? [] : [text];
}

/** A value that was copied into the wrong place. The fault has nothing of it. */
function secretFaults(values: Values): string[] {
  const given = SECRETS.flatMap(([name, compared]) =>
    compared(values[name] ?? '').map((text) => ({ name, text })),
  );
  const same = pairsOf(given)
    .filter(([one, other]) => one.name !== other.name && one.text === other.text)
    .map(([one, other]) => `${nameInUse(one.name, values)} and ${nameInUse(other.name, values)}`);
  return [...new Set(same)].map((names) => `${names} have the same secret: each needs its own`);
}

function pairsOf<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return items.flatMap((one, index) =>
    items.slice(index + 1).map((other) => [one, other] as const),
  );
}

/** With links followed, as far as the path is there. */
function placeOf(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    return whole === dirname(whole) ? whole : join(placeOf(dirname(whole)), basename(whole));
  }
}
