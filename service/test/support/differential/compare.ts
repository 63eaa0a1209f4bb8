import type { AtEnd } from '../at-end.ts';
import { openRotation } from '../postgres/instances.ts';
import { openSqlite } from '../store/open-stores.ts';
import { compareIn, type Compared, type Engine } from './worlds.ts';

const INSTANCES = 3;

/** The URLs of two databases with the schema. */
export interface Databases {
  readonly one: string;
  readonly three: string;
}

/** SQLite, PostgreSQL with one instance, and PostgreSQL with three that take turns. */
export async function openEngines({ one, three }: Databases, atEnd: AtEnd): Promise<Engine[]> {
  const sqlite = await openSqlite();
  atEnd(() => sqlite.dispose());
  const single = await openRotation(one, 1);
  atEnd(() => single.close());
  const rotation = await openRotation(three, INSTANCES);
  atEnd(() => rotation.close());
  return [
    { name: 'SQLite', store: sqlite.store },
    { name: 'PostgreSQL', store: single },
    { name: 'PostgreSQL with three instances', store: rotation },
  ];
}

/** Plays worlds until at least this many operations were made on each engine. */
export async function compareEngines(
  engines: readonly Engine[],
  firstSeed: number,
  operations: number,
  onWorld: (soFar: Compared) => void = () => undefined,
): Promise<Compared> {
  let soFar: Compared = { operations: 0, differences: [] };
  for (let place = 0; soFar.operations < operations; place += 1) {
    const compared = await compareIn(engines, { seed: firstSeed + place, place });
    soFar = {
      operations: soFar.operations + compared.operations,
      differences: [...soFar.differences, ...compared.differences],
    };
    onWorld(soFar);
  }
  return soFar;
}
