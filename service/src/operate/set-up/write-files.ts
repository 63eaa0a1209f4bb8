import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../platform/files/durable-file.ts';
import { faultOfFolder } from '../../platform/files/trusted-folder.ts';

/** What a set-up writes, by full paths. */
export interface Plan {
  /** The folder of the settings, for this user alone where it is not there yet. */
  readonly dir: string;
  readonly secrets: string;
  /** Where the service will write. */
  readonly data: readonly string[];
  /** What makes the set-up valid comes last. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

const DRAFT_PREFIX = '.miftah-init-';
const PUBLIC_FOLDER = 0o755;
const PRIVATE_FOLDER = 0o700;

/**
 * Writes all of it or nothing: the files get their places when all of them are on the disk, the
 * settings last. A process that is killed meanwhile leaves a draft, and no settings.
 * @param before called before each change of the file system
 * @throws Error of the file system; everything is then as it was
 */
export function writePlan(plan: Plan, before: (change: string) => void = () => undefined): void {
  const { dir, secrets, data, files } = plan;
  const undo: (() => void)[] = [];
  const makeFolder = (path: string, mode = PRIVATE_FOLDER) => {
    if (existsSync(path)) return;
    makeFolder(dirname(path), PUBLIC_FOLDER);
    before(`mkdir ${path}`);
    mkdirSync(path, { mode });
    undo.push(() => rmdirSync(path));
  };
  try {
    for (const folder of [dir, secrets, ...data]) makeFolder(folder);
    before('draft');
    // They were looked at before, but a folder on the way may have been made by another user since.
    const [fault] = untrustedFolders(plan);
    if (fault !== undefined) throw new Error(fault);
    const draft = mkdtempSync(join(dir, DRAFT_PREFIX));
    undo.push(() => rmSync(draft, { recursive: true, force: true }));
    const drafts = files.map((file, index) => [join(draft, String(index)), file] as const);
    for (const [path, file] of drafts) {
      before(`write ${file.path}`);
      writeFileSync(path, file.text, { flag: 'wx', mode: 0o600, flush: true });
    }
    for (const [from, { path }] of drafts) {
      before(`link ${path}`);
      // Unlike a rename, a link replaces nothing.
      linkSync(from, path);
      undo.push(() => rmSync(path));
    }
    before('remove the draft');
    rmSync(draft, { recursive: true });
    for (const folder of [secrets, dir, dirname(dir)]) syncFolder(folder);
  } catch (error) {
    for (const takeBack of undo.toReversed()) {
      try {
        takeBack();
      } catch {
        // Somebody else has put something into a folder, which stays with it.
      }
    }
    throw error;
  }
}

/** The folders that another user could change; one of data may be the service's. */
export function untrustedFolders(
  { dir, secrets, data }: Plan,
  owners: readonly number[] = serviceUser(),
): string[] {
  const faults = [
    ...[dir, secrets].map((path) => faultOfFolder(path)),
    ...data.map((path) => faultOfFolder(path, existsSync(path) ? { owners } : {})),
  ];
  return [...new Set(faults.filter((fault) => fault !== null))];
}

/** The number of the user that unit and image have for the service; none: there is no such user. */
function serviceUser(): number[] {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : '';
  const [, id] = /^miftah:[^:]*:(\d+):/m.exec(users) ?? [];
  return id === undefined ? [] : [Number(id)];
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

/** What is in the way. An existing file is never overwritten, nor a link that leads nowhere. */
export function obstacles({ dir, secrets, files }: Plan): string[] {
  const there = [
    ...files.map(({ path }) => path).filter((path) => dirname(path) === dir && isThere(path)),
    ...namesIn(secrets).map((name) => join(secrets, name)),
  ];
  const drafts = namesIn(dir).filter((name) => name.startsWith(DRAFT_PREFIX));
  return [
    ...there.map((path) => `${path} is there already: move it away, or name another --dir`),
    ...drafts.map(
      (name) => `${join(dir, name)} is what an interrupted set-up has left: remove it (rm -r)`,
    ),
  ];
}
