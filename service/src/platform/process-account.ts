import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Account, Actor } from '../audit/act.ts';

/** What the kernel says of a process that nobody's login has begun. */
const NO_LOGIN = 4_294_967_295;

/** `miftah-admin` says by it who has called it: of systemd, which runs the command, nobody knows. */
export const CALLER = 'CALLER_LOGIN_UID';

interface Places {
  readonly loginUid: string;
  readonly accounts: string;
}

const PLACES: Places = { loginUid: '/proc/self/loginuid', accounts: '/etc/passwd' };

/**
 * Whose process this is, by its number, and which account has logged in where that is another one: an
 * operator who has become root, or the user of the service, by `su` or `sudo`.
 *
 * Neither is what somebody says of themselves, as `USER`, `LOGNAME` and `SUDO_UID` are. The kernel
 * keeps the login over every change of the user, and lets no process change it without
 * CAP_AUDIT_CONTROL. What the caller says is believed only where the kernel knows of no login, as in a
 * unit of systemd; whoever is in a session can't leave it.
 */
export function processActor(
  told: string | undefined,
  { loginUid, accounts }: Places = PLACES,
): Actor {
  const account = ownAccount();
  const login = numberIn(textOf(loginUid)) ?? numberIn(told ?? '');
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
