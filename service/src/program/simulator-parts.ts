import { join } from 'node:path';
import { BUILT_IN_PEOPLE, defaultSettings, Engine } from '@miftah/simulator/engine';
import type { EngineSettings } from '@miftah/simulator/engine';
import {
  openReferenceFile,
  systemRandom as simulatorRandom,
  systemTimer,
} from '@miftah/simulator/platform';
import { isLocalOnly } from '../config/mode-faults.ts';
import type { Runtime } from './mode.ts';

/** The provider's engine, with the service's own clock. */
export function openEngine(
  { config, clock }: Runtime,
  settings: Partial<EngineSettings> = {},
): Engine {
  return new Engine({
    settings: { ...defaultSettings(config.publicUrl), ...settings },
    people: BUILT_IN_PEOPLE,
    clock,
    random: simulatorRandom,
    references: openReferenceFile(join(config.dataDir, 'simulator')),
  });
}

/** Where others can reach it, the control API stays shut unless the operator has set a token for it. */
export function simulatorOptions({ config, random }: Runtime, engine: Engine) {
  const unguessable = Buffer.from(random.bytes(32)).toString('hex');
  const token = config.simulatorToken?.reveal() ?? (isLocalOnly(config) ? null : unguessable);
  const { publicUrl, allowedHosts } = config;
  return { engine, timer: systemTimer, control: { publicUrl, allowedHosts, token } };
}
