import { ConfigError } from '../../config/config.ts';
import { faultWords } from '../../errors/fault-words.ts';
import { asSentence, fault, LOOK_AGAIN, warning, type Finding } from './finding.ts';
import type { Clock, Random } from '../../platform/runtime.port.ts';
import { examineClients } from './clients.ts';
import { examineFiles, examineSpace } from './files.ts';
import { examineOperator } from './operator.ts';
import { examineProvider } from './provider.ts';
import { examineProxies } from './proxies.ts';
import { usableSettings, type ReadSettings } from './settings-files.ts';
import { examineStore } from './store.ts';

export interface DoctorTools {
  readonly clock: Clock;
  readonly random: Random;
}

const OF_OTHERS = 'Rename it, unless another program reads it.';

/**
 * Looks at everything that the service needs, while it runs or not, and writes nothing. With wrong
 * settings nothing else can be looked at.
 */
export async function examine(
  load: () => ReadSettings,
  { clock, random }: DoctorTools,
): Promise<readonly Finding[]> {
  const loaded = loadOrFaults(load);
  if ('faults' in loaded) return loaded.faults;
  const { config, misspelt } = loaded;
  return [
    usableSettings(loaded),
    ...misspelt.map((what) => warning('settings', what, OF_OTHERS)),
    ...(await looked('proxies', () => examineProxies(config))),
    ...(await looked('data.folder', () => examineFiles(loaded))),
    ...(await looked('data.space', () => examineSpace(config))),
    ...(await looked('clients', () => examineClients(config))),
    ...(await looked('operator.roles', () => examineOperator(config))),
    ...(await looked('store.open', () => examineStore(config, random, clock))),
    ...(await looked('provider', () => examineProvider(config, clock))),
  ];
}

/** What can't be looked at is a finding of its own: the other checks are still worth reading. */
async function looked(
  check: string,
  look: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [unexamined(check, error)];
  }
}

function unexamined(check: string, error: unknown): Finding {
  const { what, remedy } = faultWords(error);
  const advice = asSentence(remedy ?? LOOK_AGAIN);
  return fault(check, `This could not be looked at: ${what}.`, advice);
}

function loadOrFaults<Found extends object>(
  load: () => Found,
): Found | { readonly faults: readonly Finding[] } {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof ConfigError)) return { faults: [unexamined('settings', error)] };
    const remedy =
      'Correct it; docs/configuration.md explains each setting. The other checks run when the settings are right.';
    return { faults: error.faults.map((one) => fault('settings', `${one}.`, remedy)) };
  }
}
