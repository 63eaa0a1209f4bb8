import type { Client } from '../domain/client.ts';
import type { Flow } from '../domain/flow.ts';

/**
 * The applications that may use the service.
 *
 * - C-1: `ofKey` finds the client by any of its keys, and null for every other text; the work does
 *   not depend on how much of a key was right.
 * - C-2: `keyless` is the one client that may start this flow without a key, or null.
 */
export interface Clients {
  ofKey(key: string): Client | null;
  find(id: string): Client | null;
  keyless(flow: Flow): Client | null;
}
