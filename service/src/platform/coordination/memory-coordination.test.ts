import { coordinationConformance } from '../../../test/conformance/coordination.ts';
import { createMemoryCoordination } from './memory-coordination.ts';

/** Few keys, so that the tests meet the edge of the tables. */
const CAPACITY = 100;

coordinationConformance('memory', async () => {
  const shared = createMemoryCoordination({ capacity: CAPACITY });
  return { instances: [shared, shared], dispose: async () => undefined };
});
