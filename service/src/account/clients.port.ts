import type { Client } from './client.ts';
import type { Flow } from '../attempt/flow.ts';

/**
 * The applications that may use the service.
 *
 * - C-1: `ofKey` finds the client by any of its keys, and gives null for every other text. How long
 *   it takes does not depend on how much of a key is right.
 * - C-2: `keyless` gives the one client that may start this flow without a key, or null.
 * - C-3: `all` gives every client, in the order of the list.
 */
export interface Clients {
  all(): readonly Client[];
  ofKey(key: string): Client | null;
  find(id: string): Client | null;
  keyless(flow: Flow): Client | null;
}
