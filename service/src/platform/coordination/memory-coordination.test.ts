import { coordinationConformance } from '../../../test/conformance/coordination.ts';
import { createMemoryCoordination } from './memory-coordination.ts';

/** Few entries, so that the tests meet the edge of the tables. */
const openSmall = () => createMemoryCoordination({ windows: 100, pushes: 100 });

coordinationConformance('memory', async () => {
  const shared = openSmall();
  return {
    instances: [shared, shared],
    // What is in memory ends with its process.
    crash: async () => openSmall(),
    dispose: async () => undefined,
  };
});
