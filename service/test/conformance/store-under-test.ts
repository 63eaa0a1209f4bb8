import { afterAll, beforeAll } from 'vitest';
import type { Store } from '../../src/store/ports/store.port.ts';

export interface OpenedStore {
  readonly store: Store;
  /** Opens the data of a closed store again; null if nothing is kept. */
  readonly reopen: (() => Promise<Store>) | null;
  /** Closes the store and removes its data. */
  readonly dispose: () => Promise<void>;
}

export type OpenStore = () => Promise<OpenedStore>;

/** One store for all tests of the block; their rows have different ids. */
export function useStore(open: OpenStore): () => Store {
  let opened: OpenedStore | null = null;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.dispose());
  return () => {
    if (opened === null) throw new Error('the store is not open yet');
    return opened.store;
  };
}

/** A new store, for tests that count or remove rows of other tests. */
export async function withStore(
  open: OpenStore,
  use: (store: Store, opened: OpenedStore) => Promise<void>,
): Promise<void> {
  const opened = await open();
  try {
    await use(opened.store, opened);
  } finally {
    await opened.dispose();
  }
}
