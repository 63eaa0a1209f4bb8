import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import {
  refuse,
  SetUpError,
  type Answers,
  type Place,
  type SetUpResult,
  type SetUpTools,
} from '../../commands/init/set-up.ts';
import { imageSettings } from '../../config/config.ts';
import type { ImageSettings } from '../../config/source/image.ts';
import { secretIn } from '../../config/source/secret-files.ts';
import { faultOfFolder } from '../../platform/files/trusted-folder.ts';
import type { Random } from '../../platform/runtime.port.ts';
import { hasSimulator } from '../../simulate/hosted/optional-simulator.ts';
import { allFaults, emptyFaults, faultOf, placeFaults, unitFaults } from './check.ts';
import { clientsText } from './clients-text.ts';
import { volumeFaults } from './container-steps.ts';
import { nextSteps } from './next-steps.ts';
import { planOf } from './plan.ts';
import { sharedPortFaults, simulatorFaults } from './simulator-text.ts';
import { LISTENS_HERE, unitFiles } from './unit-files.ts';
import { draftsOf, writePlan, type Plan } from './write-files.ts';

const KEY_BYTES = 32;

/** What is installed here, as far as a set-up depends on it. */
export interface Installation {
  readonly hasSimulator: boolean;
  /** Null: this does not run in the image. */
  readonly image: ImageSettings | null;
}

const thisInstallation = (): Installation => ({
  hasSimulator: hasSimulator(),
  image: imageSettings(),
});

/** What `miftah init` works with, on the real machine. */
export function setUpTools(random: Random, installation = thisInstallation()): SetUpTools {
  const key = (encoding: 'hex' | 'base64url') =>
    Buffer.from(random.bytes(KEY_BYTES)).toString(encoding);
  return {
    usualDir: async (isRehearsal) =>
      isRehearsal && installation.image === null ? 'rehearsal' : SYSTEM_DIR,
    begin: async (given) => {
      refuse(emptyFaults(given));
      const place = absolute(given);
      const fixed = fixedAnswers(place, installation);
      refuse([
        ...placeFaults(place),
        ...installationFaults(place, installation),
        ...(installation.image === null ? [] : volumeFaults(place, fixed)),
      ]);
      refuseObstacles(planOf(place, fixed, { secretKey: '', clientsText: '' }));
      return place.isRehearsal ? { ...fixed, PROVIDER_APP_KEY: key('hex') } : fixed;
    },
    faultOf: async (name, text, { hasUnit }) => faultOf(name, text, hasUnit),
    readSecret: async (flag, path) => secretIn(flag, path),
    write: async (given, said, tell = async () => undefined) => {
      const place = absolute(given);
      const answers = withFullPaths(said);
      const secretKey = key('hex');
      const clientKey = `mfk_${key('base64url')}`;
      refuse([
        ...allFaults(answers, place.isRehearsal, secretKey),
        ...faultsHere(place, answers, installation),
      ]);
      const plan = planOf(place, answers, {
        secretKey,
        clientsText: clientsText(answers, clientKey),
      });
      refuse(sharedFaults(place, plan, answers));
      refuseObstacles(plan);
      const result = resultOf(plan, { place, answers, clientKey, image: installation.image });
      await undisturbed(async () => {
        writeOrRefuse(plan);
        await tell(result);
      });
      return result;
    },
  };
}

/** What can't be used with this unit, image or simulator. */
const faultsHere = (place: Place, answers: Answers, { image }: Installation) => [
  ...(place.hasUnit ? unitFaults(answers) : []),
  ...(image === null ? [] : volumeFaults(place, answers)),
  ...(place.isRehearsal ? simulatorFaults(place.dir, answers, image !== null) : []),
  ...(place.isRehearsal ? sharedPortFaults(answers) : []),
];

const absolute = (place: Place): Place => ({
  ...place,
  dir: resolve(place.dir),
  root: resolve(place.root),
});

/** The settings are read from any folder. */
function withFullPaths(answers: Answers): Answers {
  const { DATA_DIR = '', AUDIT_HEAD_FILE = '' } = answers;
  return { ...answers, DATA_DIR: resolve(DATA_DIR), AUDIT_HEAD_FILE: resolve(AUDIT_HEAD_FILE) };
}

const SYSTEM_DIR = '/etc/miftah';

/** The answers that follow from the place. */
function fixedAnswers({ dir, isRehearsal }: Place, { image }: Installation): Answers {
  const isOfSystem = dir === SYSTEM_DIR || image !== null;
  return {
    DATA_DIR: isOfSystem ? '/var/lib/miftah' : join(dir, 'data'),
    AUDIT_HEAD_FILE: isOfSystem
      ? '/var/lib/miftah-head/audit-head'
      : join(dir, 'head', 'audit-head'),
    ...image,
    // Without a token the simulator listens on loopback only, so both have the machine's network.
    ...(image !== null && isRehearsal ? { HOST: LISTENS_HERE } : {}),
  };
}

/** What this installation can't do. */
function installationFaults(
  { dir, isRehearsal, hasUnit }: Place,
  installation: Installation,
): string[] {
  const isInImage = installation.image !== null;
  return [
    ...(isRehearsal && !installation.hasSimulator ? [NO_SIMULATOR] : []),
    ...(hasUnit && isInImage ? ['--systemd is for a machine, and this is a container'] : []),
    ...(hasUnit && dir !== SYSTEM_DIR
      ? [`the unit of --systemd reads ${SYSTEM_DIR}: leave out --dir, or --systemd`]
      : []),
    ...(hasUnit && !isInImage ? kitFaults() : []),
  ];
}

const NO_SIMULATOR =
  '--rehearse needs the simulator, which is not installed here: a release or an image that was ' +
  'made without --live has it, and so has npm with @miftah/simulator. Rehearse with one of them, ' +
  'on a machine of your own';

function kitFaults(): string[] {
  try {
    unitFiles();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** @throws SetUpError; of a folder that others may change only the folder is told */
function refuseObstacles(plan: Plan): void {
  refuse(untrustedFolders(plan));
  refuse(obstacles(plan));
}

/**
 * The folders into which is written, and those of data that are there already: these may be the
 * service's.
 */
function untrustedFolders({ dir, folders, dataFolders, unitFiles: units }: Plan): string[] {
  const inDir = folders.map((folder) => ({ ...folder, path: join(dir.path, folder.path) }));
  const faults = [
    faultOfFolder(dir.path),
    ...units.map(({ path }) => faultOfFolder(dirname(path))),
    ...[...inDir, ...dataFolders].map(({ path, owner }) =>
      faultOfFolder(path, { owners: owner !== null && existsSync(path) ? [owner.uid] : [] }),
    ),
  ];
  return [...new Set(faults.filter((fault) => fault !== null))];
}

/** The service can't write where the set-up does. */
function sharedFaults({ dir }: Place, { folders, files }: Plan, answers: Answers): string[] {
  const { DATA_DIR = '', AUDIT_HEAD_FILE = '' } = answers;
  const written = files.map(({ path }) => join(dir, path));
  const inDir = folders.map(({ path }) => join(dir, path));
  const taken = [
    { name: 'DATA_DIR', path: DATA_DIR, by: [...written, join(dir, 'secrets')] },
    { name: 'AUDIT_HEAD_FILE', path: AUDIT_HEAD_FILE, by: ['/', dir, ...written, ...inDir] },
  ];
  return taken
    .filter(({ path, by }) => by.includes(path))
    .map(({ name, path }) => `${name} is ${path}, which is for something else: name another path`);
}

/** Also a link that leads nowhere. */
const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** What is in the way. An existing file is never overwritten. */
function obstacles(plan: Plan): string[] {
  const { path } = plan.dir;
  const wanted = [
    ...plan.files.map((file) => join(path, file.path)),
    ...plan.unitFiles.map((file) => file.path),
  ];
  const secrets = join(path, 'secrets');
  const others = existsSync(secrets) ? readdirSync(secrets).map((name) => join(secrets, name)) : [];
  const there = [...new Set([...wanted.filter(isThere), ...others])];
  return [
    ...there.map((one) => `${one} is there already: move it away, or name another --dir`),
    ...draftsOf(plan).map(
      (one) => `${one} is what an interrupted set-up has left: remove it (rm -r)`,
    ),
  ];
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const wait = () => undefined;

/** A signal that comes meanwhile does nothing: of files without their key nobody could use any. */
async function undisturbed(work: () => Promise<void>): Promise<void> {
  for (const signal of SIGNALS) process.on(signal, wait);
  try {
    await work();
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, wait);
  }
}

function writeOrRefuse(plan: Plan): void {
  try {
    writePlan(plan);
  } catch (error) {
    throw new SetUpError([error instanceof Error ? error.message : String(error)]);
  }
}

interface Done {
  readonly place: Place;
  readonly answers: Answers;
  readonly clientKey: string;
  readonly image: ImageSettings | null;
}

const ABOUT: Readonly<Record<string, string>> = {
  'miftah.env': 'the settings',
  'clients.json': 'the applications that may use the service',
  'simulator.env': 'the settings of the simulator',
};

function resultOf(plan: Plan, { place, answers, clientKey, image }: Done): SetUpResult {
  const own = plan.files.map(
    ({ path }) => [join(plan.dir.path, path), ABOUT[path] ?? 'a secret'] as const,
  );
  const units = plan.unitFiles.map(({ path }) => [path, 'for systemd'] as const);
  return { files: [...own, ...units], clientKey, ...nextSteps(place, answers, image) };
}
