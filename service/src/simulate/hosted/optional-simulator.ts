import { findPackageJSON } from 'node:module';
import type { MovableTime } from '@miftah/simulator/platform';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../platform/runtime.port.ts';

/** A live installation leaves it out. */
const SIMULATOR_PACKAGE = '@miftah/simulator';

/** Whether this installation has the simulator, and with it the program `miftah-simulator`. */
export function hasSimulator(): boolean {
  try {
    return findPackageJSON(SIMULATOR_PACKAGE, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

/** A database is for several instances, which have its time. */
export async function openMovableTime(
  { simulator, database }: Config,
  clock: Clock,
): Promise<MovableTime | null> {
  if (simulator === null || database !== null) return null;
  const { MovableTime, systemTimer: timer } = await orMissing(import('@miftah/simulator/platform'));
  return new MovableTime(clock, timer);
}

const WITHOUT_IT = { whoNeeds: 'simulator mode', instead: ', or set PROVIDER=live' };

/** @throws Error that says how the simulator is installed, if it is not */
export async function orMissing<Module>(
  loading: Promise<Module>,
  { whoNeeds, instead } = WITHOUT_IT,
): Promise<Module> {
  try {
    return await loading;
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing || !error.message.includes(SIMULATOR_PACKAGE)) throw error;
    throw new Error(
      `${whoNeeds} needs ${SIMULATOR_PACKAGE}, which is not installed: npm install ` +
        `${SIMULATOR_PACKAGE}${instead}`,
      { cause: error },
    );
  }
}
