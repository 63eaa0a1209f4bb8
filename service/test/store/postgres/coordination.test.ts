import { atLength } from '../../../../scripts/test-length.ts';
import { coordinationConformance } from '../../conformance/coordination.ts';
import { share } from '../../support/at-end.ts';
import { migratedDatabase } from '../../support/postgres/databases.ts';
import { openCoordination } from '../../support/postgres/shared-state.ts';

const database = share((atEnd) => migratedDatabase(atEnd));

for (const [name, instances] of atLength(
  [
    ['one instance', 1],
    ['three instances', 3],
  ] as const,
  [['three instances', 3]] as const,
)) {
  coordinationConformance(`${name} on PostgreSQL`, () => openCoordination(database(), instances));
}
