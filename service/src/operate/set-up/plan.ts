import { dirname, join, relative } from 'node:path';
import type { Answers, Place } from '../../commands/init/set-up.ts';
import { serviceUser, type Ids } from './owner.ts';
import { settingsText } from './settings-text.ts';
import { simulatorText } from './simulator-text.ts';
import { unitFiles } from './unit-files.ts';
import type { Plan, PlannedEntry, PlannedFile } from './write-files.ts';

/** What a set-up makes by itself. */
export interface Made {
  /** 32 bytes in hex. */
  readonly secretKey: string;
  readonly clientsText: string;
}

/** The files of secrets, by the settings that name them. */
const SECRET_FILES: Readonly<Record<string, string>> = {
  SECRET_KEY: 'secret-key',
  DATABASE_URL: 'database-url',
  PROVIDER_APP_ID: 'provider-app-id',
  PROVIDER_APP_KEY: 'provider-app-key',
};

const ABOUT: Readonly<Record<string, string>> = {
  SECRET_KEY: 'The key that encrypts people and protects the audit log. Keep a copy elsewhere.',
  DATABASE_URL: 'The address of the PostgreSQL database, with its password.',
  PROVIDER_APP_ID: 'The application id that the provider has given you.',
  PROVIDER_APP_KEY: 'The key that goes with it.',
};

export function planOf(place: Place, answers: Answers, made: Made): Plan {
  const rights = rightsOf(place);
  const below = (path: string) => join(place.root, path);
  const secrets = secretsOf(answers, made);
  const data = dataFoldersOf(place.dir, answers);
  return {
    dir: { path: below(place.dir), ...rights.dir },
    folders: [
      { path: 'secrets', ...rights.secrets },
      ...data.inDir.map((path) => ({ path, ...rights.data })),
    ],
    files: [
      ...secrets.map(([name, text]) => ({
        path: join('secrets', SECRET_FILES[name] ?? name),
        text: `${text}\n`,
        ...rights.secret,
      })),
      { path: 'clients.json', text: made.clientsText, ...rights.file },
      ...(place.isRehearsal
        ? [{ path: 'simulator.env', text: simulatorText(place.dir, answers), ...rights.file }]
        : []),
      { path: 'miftah.env', text: textOf(place, answers, secrets), ...rights.file },
    ],
    dataFolders: data.elsewhere.map((path) => ({ path: below(path), ...rights.data })),
    unitFiles: place.hasUnit ? unitEntries(below, answers) : [],
  };
}

const isInside = (path: string) => path !== '' && !path.startsWith('..');

/** Where the service writes. What is in the folder of the settings is made with it. */
function dataFoldersOf(dir: string, { DATA_DIR = '', AUDIT_HEAD_FILE = '' }: Answers) {
  const paths = [DATA_DIR, dirname(AUDIT_HEAD_FILE)].map((path) => relative(dir, path));
  // Each once, and before those that are in it.
  const folders = [...new Set(paths)].toSorted();
  return {
    inDir: folders.filter(isInside),
    elsewhere: folders.filter((path) => path.startsWith('..')).map((path) => join(dir, path)),
  };
}

type Secret = readonly [name: string, text: string];

function secretsOf(answers: Answers, { secretKey }: Made): readonly Secret[] {
  const texts: Answers = { ...answers, SECRET_KEY: secretKey };
  return Object.keys(SECRET_FILES).flatMap((name) => {
    const text = texts[name] ?? '';
    return text === '' ? [] : [[name, text] as const];
  });
}

function textOf(place: Place, answers: Answers, secrets: readonly Secret[]): string {
  const fixed = [
    {
      name: 'PROVIDER',
      value: 'live',
      about: 'Live mode: people prove who they are to an identity provider.',
    },
    ...(place.isRehearsal ? [REHEARSAL] : []),
    {
      name: 'CLIENTS_FILE',
      value: join(place.dir, 'clients.json'),
      about: 'The applications that may use the service.',
    },
    ...secrets.map(([name]) => ({
      name: `${name}_FILE`,
      value: join(place.dir, 'secrets', SECRET_FILES[name] ?? name),
      about: ABOUT[name] ?? '',
    })),
  ];
  return settingsText(fixed, answers);
}

const REHEARSAL = {
  name: 'ALLOW_SIMULATOR',
  value: 'yes',
  about: 'A rehearsal: the provider is the simulator, and nobody real signs in.',
};

type Rights = Omit<PlannedEntry, 'path'>;

interface AllRights {
  readonly dir: Rights;
  readonly file: Rights;
  readonly secrets: Rights;
  readonly secret: Rights;
  readonly data: Rights;
}

/**
 * As root: settings and clients are root's and readable for the service, so that the service can't
 * change them. Its secrets are its own, but with the unit root's: systemd hands them over.
 */
function rightsOf({ root, hasUnit }: Place): AllRights {
  const user = serviceUser(root);
  if (user === null) return rightsFor(null, null, null);
  const readable: Ids = { uid: 0, gid: user.gid };
  return rightsFor(readable, hasUnit ? { uid: 0, gid: 0 } : user, user);
}

function rightsFor(readable: Ids | null, secrets: Ids | null, data: Ids | null): AllRights {
  return {
    dir: { mode: readable === null ? 0o700 : 0o750, owner: readable },
    file: { mode: readable === null ? 0o600 : 0o640, owner: readable },
    secrets: { mode: 0o700, owner: secrets },
    secret: { mode: 0o600, owner: secrets },
    data: { mode: 0o700, owner: data },
  };
}

const PUBLIC_FILE = 0o644;

function unitEntries(below: (path: string) => string, answers: Answers): PlannedFile[] {
  return unitFiles(answers).map(({ path, text }) => ({
    path: below(path),
    text,
    mode: PUBLIC_FILE,
    owner: null,
  }));
}
