import { KEYS_MEANT, type ClientKeyHash } from '../../account/client.ts';
import { memberOf } from '../../values/member.ts';

/**
 * Changes of the entries of a clients file, as JSON: what they do not concern stays as it is written.
 * Whether the result can be used is checked by whoever reads such a file (platform/files/clients-file.ts).
 */
type Entries = readonly unknown[];

/** @throws Error where the id is taken */
export function withClient(entries: Entries, entry: { readonly id: string }): Entries {
  if (idsIn(entries).includes(entry.id)) throw new Error(`there is a client ${entry.id} already`);
  return [...entries, entry];
}

/** @throws Error where there is no such client, or it has a key more than one already */
export function withKey(entries: Entries, id: string, key: ClientKeyHash): Entries {
  return withKeysOf(entries, id, (keys) => {
    if (keys.length < KEYS_MEANT) return [...keys, key];
    throw new Error(
      `${id} has ${keys.length} keys: take out those that it does not use any more, with ` +
        `\`miftah client rotate-key ${id} --retire\``,
    );
  });
}

/**
 * Without the keys before the last one, which is the newest where keys are added by `withKey`.
 * @throws Error where there is no such client, or it would have no key left or all of them
 */
export function withLastKey(entries: Entries, id: string): Entries {
  return withKeysOf(entries, id, (keys) => {
    if (keys.length > 1) return keys.slice(-1);
    throw new Error(`${id} has no key beside the one that it uses`);
  });
}

/** @throws Error where there is no such client */
export function withLimits(entries: Entries, id: string, limits: object): Entries {
  return withMember(entries, id, { limits });
}

/** @throws Error where there is no such client */
export function withoutClient(entries: Entries, id: string): Entries {
  requireClient(entries, id);
  return entries.filter((entry) => memberOf(entry, 'id') !== id);
}

/** Those of a client, as they are written. */
export function keysOf(entries: Entries, id: string): Entries {
  const keys = memberOf(
    entries.find((entry) => memberOf(entry, 'id') === id),
    'keys',
  );
  return Array.isArray(keys) ? keys : [];
}

function withKeysOf(entries: Entries, id: string, change: (keys: Entries) => Entries): Entries {
  requireClient(entries, id);
  return withMember(entries, id, { keys: change(keysOf(entries, id)) });
}

function withMember(entries: Entries, id: string, member: object): Entries {
  requireClient(entries, id);
  return entries.map((entry) =>
    memberOf(entry, 'id') === id && typeof entry === 'object' ? { ...entry, ...member } : entry,
  );
}

function requireClient(entries: Entries, id: string): void {
  const ids = idsIn(entries);
  if (!ids.includes(id)) {
    throw new Error(`there is no client ${JSON.stringify(id)}: there are ${ids.join(', ')}`);
  }
}

function idsIn(entries: Entries): unknown[] {
  return entries.map((entry) => memberOf(entry, 'id'));
}
