import { measureHeapGrowth } from './heap-growth.ts';

const KILOBYTE = 1024;
/** With the first ones fewer than the 10,000 that the simulator keeps, so that all are kept. */
const ATTEMPTS = 8000;

/**
 * The memory per additional waiting person in the service, including the simulator, in kilobytes.
 */
export async function measurePendingMemory(): Promise<number> {
  const { heapBytes } = await measureHeapGrowth(ATTEMPTS);
  return heapBytes / ATTEMPTS / KILOBYTE;
}
