import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ownId } from '../../platform/files/private-files.ts';
import { faultOfFolder } from '../../platform/files/trusted-folder.ts';
import type { Ids } from './owner.ts';

export interface PlannedEntry {
  /** From the folder that it is in. */
  readonly path: string;
  readonly mode: number;
  /** Null: that of this process. */
  readonly owner: Ids | null;
}

export interface PlannedFile extends PlannedEntry {
  readonly text: string;
}

/** What a set-up writes. Every path is where it is written, with the root before it. */
export interface Plan {
  /** The folder of the settings. */
  readonly dir: PlannedEntry;
  /** In `dir`: folders before their files; what makes the set-up valid comes last. */
  readonly folders: readonly PlannedEntry[];
  readonly files: readonly PlannedFile[];
  /** Folders elsewhere, for what the service writes. One that is there stays as it is. */
  readonly dataFolders: readonly PlannedEntry[];
  /** Files elsewhere, such as the unit. */
  readonly unitFiles: readonly PlannedFile[];
}

const SECRETS = 'secrets';
const DRAFT_PREFIX = '.miftah-init-';
const PUBLIC_FOLDER = 0o755;
const PRIVATE_FOLDER = 0o700;
const NEW_FILE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
const THE_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Writes all of it or nothing: the files get their places when all of them are on the disk. A
 * process that is killed meanwhile leaves a draft, and no settings.
 * @param before called before each change of the file system
 * @throws Error of the file system; everything is then as it was
 */
export function writePlan(plan: Plan, before: (change: string) => void = () => {}): void {
  const writer = new Writer(before);
  try {
    const draft = writer.makeDraft(plan.dir);
    for (const folder of plan.folders) writer.makeFolderIn(draft, folder);
    for (const file of plan.files) writer.makeFile(join(draft, file.path), file);
    for (const folder of plan.dataFolders) writer.makeFolderElsewhere(folder);
    for (const file of plan.unitFiles) writer.makeFileElsewhere(file);
    writer.publish(draft, plan);
  } catch (error) {
    writer.undo();
    throw error;
  }
}

/** Remembers how to take back each change. */
class Writer {
  readonly #before: (change: string) => void;
  readonly #undo: (() => void)[] = [];

  constructor(before: (change: string) => void) {
    this.#before = before;
  }

  /** Beside the folder, which gets its name in one step; in it, where it is there already. */
  makeDraft({ path }: PlannedEntry): string {
    const place = existsSync(path) ? path : dirname(path);
    this.#makeParents(place);
    this.#before('draft');
    requireTrusted(place);
    const draft = mkdtempSync(join(place, DRAFT_PREFIX));
    this.#undo.push(() => rmSync(draft, { recursive: true, force: true }));
    return draft;
  }

  makeFolderIn(draft: string, folder: PlannedEntry): void {
    const path = join(draft, folder.path);
    makeMissing(dirname(path));
    this.makeFolder(path, folder);
  }

  makeFolder(path: string, { mode, owner }: PlannedEntry): void {
    this.#before(`mkdir ${path}`);
    mkdirSync(path, { mode: PRIVATE_FOLDER });
    giveAway(path, mode, owner);
  }

  makeFile(path: string, { text, mode, owner }: PlannedFile): void {
    this.#before(`write ${path}`);
    // Private until it is whole: its mode may be for others too.
    const file = openSync(path, NEW_FILE, 0o600);
    // Not before: a file that is there already is somebody else's.
    this.#undo.push(() => rmSync(path, { force: true }));
    try {
      writeFileSync(file, text);
      giveDescriptor(file, mode, owner);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  makeFolderElsewhere(folder: PlannedEntry): void {
    if (existsSync(folder.path)) return;
    this.#makeParents(dirname(folder.path));
    requireTrusted(dirname(folder.path));
    this.#before(`mkdir ${folder.path}`);
    mkdirSync(folder.path, { mode: PRIVATE_FOLDER });
    this.#undo.push(() => rmdirSync(folder.path));
    giveAway(folder.path, folder.mode, folder.owner);
  }

  /** Unlike a rename, a link replaces nothing. */
  makeFileElsewhere(file: PlannedFile): void {
    this.#makeParents(dirname(file.path));
    requireTrusted(dirname(file.path));
    const draft = join(dirname(file.path), `${DRAFT_PREFIX}${basename(file.path)}`);
    this.makeFile(draft, file);
    this.#before(`link ${file.path}`);
    linkSync(draft, file.path);
    this.#undo.push(() => rmSync(file.path));
    rmSync(draft);
    syncFolder(dirname(file.path));
  }

  publish(draft: string, plan: Plan): void {
    if (dirname(draft) === plan.dir.path) this.#publishIn(draft, plan.dir.path, plan);
    else this.#publishAs(draft, plan.dir);
  }

  #publishAs(draft: string, dir: PlannedEntry): void {
    giveAway(draft, dir.mode, dir.owner);
    this.#before(`rename ${dir.path}`);
    renameSync(draft, dir.path);
    this.#undo.push(() => rmSync(dir.path, { recursive: true }));
    syncFolder(dirname(dir.path));
  }

  /** In their order, so that the settings come last. */
  #publishIn(draft: string, folder: string, { folders, files }: Plan): void {
    // Of data there may be some already.
    const own = folders.filter(({ path }) => path === SECRETS || !existsSync(join(folder, path)));
    const names = new Set([...own, ...files].map(({ path }) => path.split('/')[0] ?? path));
    for (const name of names) {
      this.#before(`rename ${name}`);
      const [from, to] = [join(draft, name), join(folder, name)];
      // A folder takes the place of an empty one only.
      renameSync(from, to);
      this.#undo.push(() => rmSync(to, { recursive: true }));
    }
    this.#before('remove the draft');
    rmSync(draft, { recursive: true });
    syncFolder(folder);
  }

  #makeParents(folder: string): void {
    if (existsSync(folder)) return;
    this.#makeParents(dirname(folder));
    this.#before(`mkdir ${folder}`);
    mkdirSync(folder, { mode: PUBLIC_FOLDER });
    this.#undo.push(() => rmdirSync(folder));
  }

  undo(): void {
    for (const one of this.#undo.toReversed()) one();
  }
}

/** It was looked at before, but a folder on the way may have been made by another user since. */
function requireTrusted(path: string): void {
  const fault = faultOfFolder(path, { isShared: true });
  if (fault !== null) throw new Error(fault);
}

/** In a draft, which is removed as a whole. */
function makeMissing(folder: string): void {
  if (existsSync(folder)) return;
  makeMissing(dirname(folder));
  mkdirSync(folder, { mode: PUBLIC_FOLDER });
}

/** By its descriptor: what takes its place in between, such as a symbolic link, gets nothing. */
function giveAway(path: string, mode: number, owner: Ids | null): void {
  const folder = openSync(path, THE_FOLDER);
  try {
    giveDescriptor(folder, mode, owner);
  } finally {
    closeSync(folder);
  }
}

/** The mode is set by itself, because the umask takes rights away from a new file. */
function giveDescriptor(descriptor: number, mode: number, owner: Ids | null): void {
  if (owner !== null) fchownSync(descriptor, owner.uid, owner.gid);
  fchmodSync(descriptor, mode);
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * What an interrupted set-up of this user has left at the places of a plan. Others may write into
 * /tmp too.
 */
export function draftsOf({ dir, unitFiles }: Plan): string[] {
  const folders = [dir.path, dirname(dir.path), ...unitFiles.map(({ path }) => dirname(path))];
  return [...new Set(folders)].flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.startsWith(DRAFT_PREFIX))
          .map((name) => join(folder, name))
          .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.uid === ownId())
      : [],
  );
}
