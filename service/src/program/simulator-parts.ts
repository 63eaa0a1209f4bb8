import { join } from 'node:path';
import { Journal, Sessions, type AddressOf } from '@miftah/simulator/app';
import { blocksInMemory, BUILT_IN_PEOPLE, defaultSettings, Engine } from '@miftah/simulator/engine';
import type { EngineSettings } from '@miftah/simulator/engine';
import {
  openReferenceFile,
  systemRandom as simulatorRandom,
  systemTimer,
} from '@miftah/simulator/platform';
import { isLocalOnly } from '../config/mode-faults.ts';
import type { Services } from '../flow/services.ts';
import type { HttpContext } from '../http/context.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { httpContext, type Runtime } from './mode.ts';
import { readScenario } from './scenarios.ts';

/** The simulator's engine with the service's clock. */
export function openEngine(
  { config, clock, movableTime, inMemory }: Runtime,
  settings: Partial<EngineSettings> = {},
): Engine {
  return new Engine({
    settings: { ...defaultSettings(config.publicUrl), ...settings },
    people: BUILT_IN_PEOPLE,
    clock: movableTime?.provider ?? clock,
    random: simulatorRandom,
    references:
      inMemory === null ? openReferenceFile(join(config.dataDir, 'simulator')) : blocksInMemory(),
  });
}

/** A test may choose what happens to an attempt, and what callers ask about it is recorded. */
export function simulationContext<Kit extends Services>(runtime: Runtime, services: Kit) {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  const isOn = runtime.config.simulator?.keepsTimeLines === true;
  const own = { scenarios: readScenario, recorder: isOn ? recorder : null };
  return { context: httpContext(runtime, services, 'simulator', own), recorder, journal };
}

/**
 * If others can reach the service, the control API is closed unless the operator set a token: the
 * token is then random and known to nobody.
 */
export function simulatorOptions(
  { config, clock, random, movableTime }: Runtime,
  { addresses }: HttpContext,
  engine: Engine,
  journal: Journal,
  sessions = new Sessions(clock, simulatorRandom),
) {
  const unguessable = Buffer.from(random.bytes(32)).toString('hex');
  const token = config.simulatorToken?.reveal() ?? (isLocalOnly(config) ? null : unguessable);
  const { publicUrl, allowedHosts } = config;
  const control = { publicUrl, allowedHosts, token };
  const time = movableTime === null ? {} : { time: movableTime };
  const keepsMs = config.retentionMs;
  const addressOf: AddressOf = (request) => addresses.keyOf(request);
  return { engine, timer: systemTimer, control, addressOf, journal, sessions, keepsMs, ...time };
}
