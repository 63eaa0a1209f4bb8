import type { Coordination } from '../../src/platform/coordination/coordination.port.ts';

/**
 * The shared state of several instances, accessed by two of them. Within one process both are the
 * same object.
 */
export interface OpenedCoordination {
  readonly instances: readonly [Coordination, Coordination];
  /** Ends the first instance in the middle of its work. @returns an instance that continues */
  readonly crash: () => Promise<Coordination>;
  /** Closes all instances, and removes the state they shared. */
  readonly dispose: () => Promise<void>;
}

export type OpenCoordination = () => Promise<OpenedCoordination>;

type Use = (
  one: Coordination,
  other: Coordination,
  crash: OpenedCoordination['crash'],
) => Promise<void>;

/** Runs a test with its own state, so that no test depends on another one. */
export async function withCoordination(open: OpenCoordination, use: Use): Promise<void> {
  const { instances, crash, dispose } = await open();
  try {
    await use(...instances, crash);
  } finally {
    await dispose();
  }
}
