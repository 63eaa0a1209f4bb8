import type { Membership, OtherSession } from './sessions.ts';

/** Why an instance can't use a database beside those who do; null when it can. */
export function conflictOf(
  own: Membership,
  others: readonly OtherSession[],
  plainName: string,
): string | null {
  const keyFault = others
    .map(({ member }) => (member === null ? null : faultOfKeys(own, member)))
    .find((fault) => fault !== null);
  if (keyFault !== undefined) return keyFault;
  const strict = others.find(({ member }) => isOther(own, member?.strict ?? null));
  if (strict !== undefined) return strictFault(`${strict.program} has`, '');
  if (own.strict === null) return null;
  const plain = others.find((other) => isInstanceBeside(own, other, plainName));
  if (plain === undefined) return null;
  return strictFault('this instance has', `, and one runs: ${describe([plain])}`);
}

function isOther(own: Membership, strict: number | null): boolean {
  return strict !== null && strict !== own.strict;
}

function isInstanceBeside(own: Membership, other: OtherSession, plainName: string): boolean {
  return other.member === null ? isUnknown(other, plainName) : other.member.strict !== own.strict;
}

/** Whether somebody uses the database whom a command that has to be alone may not meet. */
export function isInTheWay(other: OtherSession, plainName: string): boolean {
  return other.isPresent || isUnknown(other, plainName);
}

/**
 * Nobody can tell who a session without a name is, and an instance of an earlier version has the
 * plain name, and no locks. So both count as instances.
 */
function isUnknown({ isPresent, program }: OtherSession, plainName: string): boolean {
  return !isPresent && (program === '' || program === plainName);
}

function faultOfKeys(own: Membership, other: Membership): string | null {
  if (!other.writes.every((key) => own.keys.includes(key))) {
    return (
      'another instance with this database writes with a SECRET_KEY that this one does not have: ' +
      'give it here too, as SECRET_KEY or in RETIRED_SECRET_KEYS'
    );
  }
  if (own.writes.every((key) => other.keys.includes(key))) return null;
  return (
    'another instance with this database runs without the SECRET_KEY of this one: first give it to ' +
    'every instance in RETIRED_SECRET_KEYS, by SIGHUP or a start, then as SECRET_KEY'
  );
}

function strictFault(who: string, beside: string): string {
  return (
    `${who} STRICT=yes, and its simulated provider is in its own process: no other instance can ` +
    `use the same database beside it${beside}. For several instances start the simulator by ` +
    'itself (`npm run simulator`) and the instances with PROVIDER=live'
  );
}

/** What is said to an operator whose command needs the database for itself. */
export function busyWith(others: readonly OtherSession[]): string {
  return (
    `the database is in use: ${describe(others)}. Stop what runs there, run this command again, ` +
    'and start the instances after it. A session whose program is frozen or gone can be ended ' +
    'with SELECT pg_terminate_backend(PROCESS). Nothing was changed'
  );
}

/** Instances that write with another key than that of this number; empty when none does. */
export function writersWithOther(key: number, sessions: readonly OtherSession[]): string {
  return describe(sessions.filter(({ member }) => member?.writes.some((one) => one !== key)));
}

/** The sessions of each program together. */
function describe(others: readonly OtherSession[]): string {
  const programs = Map.groupBy(others, ({ program, role, address }) => {
    const where = address === null ? '' : `, at ${address}`;
    return `${program === '' ? 'a program without a name' : program} (role ${role}${where}`;
  });
  return [...programs]
    .map(([program, sessions]) => {
      const pids = sessions.map(({ pid }) => pid).join(', ');
      return `${program}, process ${pids})`;
    })
    .join('; ');
}
