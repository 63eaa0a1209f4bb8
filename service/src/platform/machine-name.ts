import { hostname } from 'node:os';

/** For messages: in a container usually its id. */
export function machineName(): string {
  return hostname();
}
