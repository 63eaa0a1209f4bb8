import type { Coordination } from '../../src/ports/coordination.ts';

/** What several instances share, seen from two of them; within one process both are the same one. */
export interface OpenedCoordination {
  readonly instances: readonly [Coordination, Coordination];
  /** Closes both, and removes what they shared. */
  readonly dispose: () => Promise<void>;
}

export type OpenCoordination = () => Promise<OpenedCoordination>;

type Instances = OpenedCoordination['instances'];

/** With a state of its own: no test counts what another one has left. */
export async function withCoordination(
  open: OpenCoordination,
  use: (...instances: Instances) => Promise<void>,
): Promise<void> {
  const { instances, dispose } = await open();
  try {
    await use(...instances);
  } finally {
    await dispose();
  }
}
