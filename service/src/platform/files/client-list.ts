import { hashClientKey, isClientKey, type Client } from '../../account/client.ts';
import type { Flow } from '../../attempt/flow.ts';
import type { Clients } from '../../account/clients.port.ts';

/** Finds clients by the hash of the key, so that keys themselves are never compared. */
export class ClientList implements Clients {
  #clients: readonly Client[] = [];
  #byId: ReadonlyMap<string, Client> = new Map();
  #byKey: ReadonlyMap<string, Client> = new Map();

  constructor(clients: readonly Client[]) {
    this.replace(clients);
  }

  /** Replaces all clients at once, so that no caller sees a mix of old and new ones. */
  replace(clients: readonly Client[]): void {
    this.#clients = clients;
    this.#byId = new Map(clients.map((client) => [client.id, client]));
    this.#byKey = new Map(clients.flatMap((client) => client.keys.map((key) => [key, client])));
  }

  all(): readonly Client[] {
    return this.#clients;
  }

  /** Texts for people, in the order of the list. */
  names(): readonly string[] {
    return this.#clients.map(({ id, type }) => `${id} (${type})`);
  }

  ofKey(key: string): Client | null {
    return isClientKey(key) ? (this.#byKey.get(hashClientKey(key)) ?? null) : null;
  }

  find(id: string): Client | null {
    return this.#byId.get(id) ?? null;
  }

  keyless(flow: Flow): Client | null {
    return this.#clients.find(({ keyless }) => keyless.includes(flow)) ?? null;
  }
}
