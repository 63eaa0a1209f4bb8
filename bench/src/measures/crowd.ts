import { measureHeapGrowth } from './heap-growth.ts';

const PEOPLE = 100_000;
const MEGABYTE = 1024 ** 2;

/** The memory of the service while 100,000 people wait, in megabytes. */
export interface Crowd {
  readonly people: number;
  /** The heap after a garbage collection, minus what the first thousand people needed. */
  readonly heapMegabytes: number;
  /** Null if the system does not provide it. */
  readonly residentMegabytes: number | null;
}

export async function measureCrowd(): Promise<Crowd> {
  const { heapBytes, residentBytes } = await measureHeapGrowth(PEOPLE);
  return {
    people: PEOPLE,
    heapMegabytes: heapBytes / MEGABYTE,
    residentMegabytes: residentBytes === null ? null : residentBytes / MEGABYTE,
  };
}
