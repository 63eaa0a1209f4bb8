import { hashClientKey, isClientKey, type Client } from '../domain/client.ts';
import type { Clients } from '../ports/clients.ts';

/** Looked up by the hash of the key, so no comparison ever sees a key. */
export function createClientList(clients: readonly Client[]): Clients {
  const byId = new Map(clients.map((client) => [client.id, client]));
  const byKey = new Map(clients.flatMap((client) => client.keys.map((key) => [key, client])));
  return {
    ofKey: (key) => (isClientKey(key) ? (byKey.get(hashClientKey(key)) ?? null) : null),
    find: (id) => byId.get(id) ?? null,
    keyless: (flow) => clients.find(({ keyless }) => keyless.includes(flow)) ?? null,
  };
}
