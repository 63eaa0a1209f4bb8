import { coordinationConformance } from '../../../test/conformance/coordination.ts';
import { createMemoryCoordination } from './memory-coordination.ts';

/** A small capacity, so that the tests reach it. */
const openSmall = () => createMemoryCoordination({ windows: 100, pushes: 100, notes: 64 });

coordinationConformance('memory', async () => {
  const shared = openSmall();
  return {
    instances: [shared, shared],
    // State in memory is lost when its process ends.
    crash: async () => openSmall(),
    dispose: async () => undefined,
  };
});
