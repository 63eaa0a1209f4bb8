import { coordinationConformance } from '../../conformance/coordination.ts';
import { share } from '../../support/at-end.ts';
import { migratedDatabase } from '../../support/postgres/databases.ts';
import { openCoordination } from '../../support/postgres/shared-state.ts';

const database = share((atEnd) => migratedDatabase(atEnd));

coordinationConformance('one instance on PostgreSQL', () => openCoordination(database(), 1));
coordinationConformance('three instances on PostgreSQL', () => openCoordination(database(), 3));
