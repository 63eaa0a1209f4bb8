import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { Client } from '../../account/client.ts';
import { memberOf } from '../../values/member.ts';
import { readClients, readClientsJson } from './clients-file.ts';
import { syncFolder } from './durable-file.ts';

const PRIVATE_FILE = 0o600;
const MODE_BITS = 0o7777;

export type ClientsEdit = (entries: readonly unknown[]) => readonly unknown[];

export interface EditedClients {
  readonly was: readonly Client[];
  readonly next: readonly Client[];
}

/**
 * Changes the clients file, completely or not at all, even if the power fails. Its owner and mode stay,
 * and so does what the edit leaves alone; it is laid out with two spaces.
 * @param beforeReplace awaited when the new content is known to be good, and before it takes its place;
 *   what it throws is thrown as it is, and leaves the file as it was
 * @param options.mayMake whether there may be no file, or one without a client: it is made then, for
 *   this user alone, and the edit gets no entry
 * @throws Error the file can't be used, or has an access control list; the edit makes it unusable;
 *   somebody else has changed it meanwhile; the file system refuses
 */
export async function editClientsFile(
  given: string,
  edit: ClientsEdit,
  beforeReplace: (edited: EditedClients) => Promise<void>,
  { mayMake }: { readonly mayMake: boolean },
): Promise<void> {
  const path = resolved(given);
  const draft = `${path}.part`;
  const file = openDraft(draft, path);
  try {
    const isNew = mayMake && !existsSync(path);
    const { text, content } = isNew ? NO_FILE : readClientsJson(path);
    const was = mayMake && hasNoClient(content) ? [] : readClients(content, path);
    const edited = { ...objectOf(content), clients: edit(listOf(memberOf(content, 'clients'))) };
    const next = readClients(edited, `${path} with this change`);
    writeFileSync(file, Buffer.from(`${JSON.stringify(edited, null, 2)}\n`));
    if (!isNew) orExplained(path, () => keepRights(file, path));
    fsyncSync(file);
    await beforeReplace({ was, next });
    if (isNew) orExplained(path, () => place(draft, path));
    else if (readClientsJson(path).text !== text) throw changedMeanwhile(path);
    else orExplained(path, () => renameSync(draft, path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
}

const NO_FILE = { text: '', content: { clients: [] } };

function hasNoClient(content: unknown): boolean {
  const clients = memberOf(content, 'clients');
  return Array.isArray(clients) && clients.length === 0;
}

/** A link never takes the place of a file that somebody else has made meanwhile. */
function place(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    throw isCode(error, 'EEXIST') ? changedMeanwhile(path) : error;
  }
  rmSync(draft);
}

const changedMeanwhile = (path: string) =>
  new Error(
    `${path} was changed meanwhile by somebody else, and is as they left it: a key that was shown is not in it`,
  );

// For the types alone: `readClients` has refused everything that is no object with a list.
const objectOf = (value: unknown) => (typeof value === 'object' ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A link stays one: the file that it leads to is replaced. */
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Else whoever reads it says what is wrong with it.
    const leadsTo = linkAt(path);
    if (leadsTo === null) return path;
    throw new Error(`${path} is a link to ${leadsTo}, which is not there. Nothing was done`);
  }
}

/** Where a link leads to; null for what is none. */
function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** Of two commands at once the second one finds the draft of the first. */
function openDraft(draft: string, path: string): number {
  try {
    return openSync(draft, 'wx', PRIVATE_FILE);
  } catch (error) {
    if (isCode(error, 'ENOENT')) {
      throw new Error(`${path} can't be made: its folder is not there (ENOENT)`, { cause: error });
    }
    if (!isCode(error, 'EEXIST')) throw explained(error, path);
    throw new Error(
      `${draft} is there: another command changes the file. If none does, remove that`,
      { cause: error },
    );
  }
}

/**
 * A new file does not get the access control list of the old one, and the mode of that one has the mask
 * of the list in the place of its group's rights: the group could read more than before, and who reads
 * by the list nothing. Node can't look for a list, and `ls` marks it (not that of BusyBox).
 * @throws Error
 */
function requireNoList(path: string): void {
  if (process.platform === 'win32') return;
  const { stdout } = spawnSync('ls', ['-ld', '--', path], { encoding: 'utf8' });
  const [mode = ''] = (stdout ?? '').split(' ', 1);
  if (!mode.endsWith('+')) return;
  throw new Error(
    `${path} has an access control list, which its replacement would not have: take it away ` +
      '(setfacl -b) and give the readers of the file a group, or change the file by hand with a key ' +
      'of `miftah client key`. Nothing was done',
  );
}

function keepRights(file: number, path: string): void {
  requireNoList(path);
  const { uid, gid, mode } = statSync(path);
  const own = fstatSync(file);
  if (own.uid !== uid || own.gid !== gid) fchownSync(file, uid, gid);
  fchmodSync(file, mode & MODE_BITS);
}

/** Wraps what needs rights to the file and its folder, and nothing else. */
function orExplained(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw explained(error, path);
  }
}

/** What the codes of the system mean for a file that has an owner, or is given to a container. */
function explained(error: unknown, path: string): unknown {
  if (!isCode(error, 'EACCES', 'EPERM', 'EROFS', 'EBUSY')) return error;
  return new Error(
    `${path} can't be replaced here (${error.code}), and a key that was shown is not in it. Run ` +
      'this as its owner, and where the file is given to a container or a pod, change it at the place ' +
      'that it comes from (--file)',
    { cause: error },
  );
}

function isCode(error: unknown, ...codes: string[]): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
