import { afterAll, beforeAll } from 'vitest';
import type { Store } from '../../src/ports/store.ts';

export interface OpenedStore {
  readonly store: Store;
  /** Opens what a closed store left behind; null where nothing is left. */
  readonly reopen: (() => Promise<Store>) | null;
  /** Closes the store, and removes what it left behind. */
  readonly dispose: () => Promise<void>;
}

export type OpenStore = () => Promise<OpenedStore>;

/** One store for all tests of the block: they keep apart by the ids of their rows. */
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

/** A store of its own, for what counts or removes the rows of others. */
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
