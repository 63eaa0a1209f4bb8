import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Account, Actor } from '../audit/act.ts';

/** What the kernel says of a process that nobody's login has begun. */
const NO_LOGIN = 4_294_967_295;

interface Places {
  readonly loginUid: string;
  /** Which numbers the user namespace has, and which ones they are outside. */
  readonly numbers: string;
  /** Where systemd has put the process. */
  readonly group: string;
  readonly accounts: string;
}

const PLACES: Places = {
  loginUid: '/proc/self/loginuid',
  numbers: '/proc/self/uid_map',
  group: '/proc/self/cgroup',
  accounts: '/etc/passwd',
};

/**
 * A session, whose PAM has set the login before systemd put it there, or a command of `miftah-admin`,
 * whose login `with-secrets` has set. Only root can put a process there (version 2 of the groups).
 */
const HAS_LOGIN = /^0::\/(?:user\.slice\/.+|system\.slice\/run-[^/]+\.service)$/m;
/** Every number as itself, which only root can give to another user namespace than the first. */
const ALL_NUMBERS = /^\s*0\s+0\s+4294967295\s*$/;

/**
 * Whose process this is, by its number, and which account has logged in where that is another one: an
 * operator who has become root, or the user of the service, by `su` or `sudo`.
 *
 * Nothing of the environment is believed, as `USER`, `LOGNAME` and `SUDO_UID` are what somebody says of
 * themselves. The kernel keeps the login over every change of the user, and lets no process change one
 * that is set without CAP_AUDIT_CONTROL. One that is not set, as in a container or a service, every
 * process can set, so a login is believed only where somebody else has set it before.
 *
 * In a user namespace, which every account can make, the numbers are those that its maker has chosen,
 * also seen from the namespace around it, which may be one too. So the actor there has none.
 */
export function processActor({ loginUid, numbers, group, accounts }: Places = PLACES): Actor {
  if (process.platform === 'linux' && !ALL_NUMBERS.test(textOf(numbers))) {
    return { kind: 'command', account: { uid: null, name: null }, login: null };
  }
  const account = ownAccount();
  const login = HAS_LOGIN.test(textOf(group)) ? numberIn(textOf(loginUid)) : null;
  if (login === null || login === account.uid) return { kind: 'command', account, login: null };
  return { kind: 'command', account, login: { uid: login, name: nameOf(login, textOf(accounts)) } };
}

function ownAccount(): Account {
  try {
    const { uid, username } = userInfo();
    return { uid: uid < 0 ? null : uid, name: username };
  } catch {
    // A container may run as a number that has no account.
    return { uid: process.geteuid?.() ?? null, name: null };
  }
}

/**
 * Root becomes the owner of a folder, for good. Another user stays what it is.
 * @throws Error of the system
 */
export function becomeOwnerOf(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  process.umask(0o077);
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function numberIn(text: string): number | null {
  const number = /^\d{1,10}$/.test(text.trim()) ? Number(text) : NO_LOGIN;
  return number >= NO_LOGIN ? null : number;
}

/** Lines of `name:password:uid:…`. Accounts of a directory have no line there, and so no name. */
function nameOf(uid: number, accounts: string): string | null {
  const fields = accounts.split('\n').map((line) => line.split(':'));
  return fields.find(([, , number]) => number === String(uid))?.[0] ?? null;
}
