import type { WaiterLimits } from '../../values/limits.ts';
import type { Read } from '../names.ts';
import { parseWaiters } from '../values.ts';

const MOST = 4000;
/** The part of all places that one client and one address get where nothing else is set. */
const SHARE = 0.75;

export function readWaiters(read: Read): WaiterLimits {
  const most = read('WAITERS_MAX', MOST, parseWaiters);
  const share = Math.ceil(most * SHARE);
  return {
    most,
    ofClient: read('WAITERS_PER_CLIENT', share, parseWaiters),
    ofAddress: read('WAITERS_PER_ADDRESS', share, parseWaiters),
  };
}
