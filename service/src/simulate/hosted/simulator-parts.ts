import { join } from 'node:path';
import { Journal, Sessions, type AddressOf } from '@miftah/simulator/app';
import { blocksInMemory, BUILT_IN_PEOPLE, defaultSettings, Engine } from '@miftah/simulator/engine';
import type { EngineSettings, People } from '@miftah/simulator/engine';
import {
  openReferenceFile,
  readPeopleFile,
  systemRandom as simulatorRandom,
  systemTimer,
} from '@miftah/simulator/platform';
import { ConfigError } from '../../config/config-error.ts';
import type { Config } from '../../config/config.ts';
import { isLocalOnly } from '../../config/mode-faults.ts';
import type { Services } from '../../attempt/services.flow.ts';
import type { HttpContext } from '../../request/context.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { httpContext, type Runtime } from '../../program/mode.ts';
import { readScenario } from './scenarios.ts';

/** The simulator's engine with the service's clock. */
export function openEngine(
  { config, clock, movableTime, inMemory }: Runtime,
  settings: Partial<EngineSettings> = {},
): Engine {
  return new Engine({
    settings: { ...defaultSettings(config.publicUrl), ...settings },
    people: inMemory?.people ?? peopleOf(config),
    clock: movableTime?.provider ?? clock,
    random: simulatorRandom,
    references:
      inMemory === null ? openReferenceFile(join(config.dataDir, 'simulator')) : blocksInMemory(),
  });
}

/** @throws ConfigError that says what is wrong with `PEOPLE_FILE` */
function peopleOf({ simulator }: Config): People {
  const path = simulator?.peopleFile ?? null;
  if (path === null) return BUILT_IN_PEOPLE;
  try {
    return readPeopleFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([reason.replaceAll('\n', '\n  ')]);
  }
}

/** What simulations have and live mode has not: scenarios that a test chooses, and the journal. */
export function simulationContext<Kit extends Services>(runtime: Runtime, services: Kit) {
  const journal = new Journal();
  const recorder = new AttemptRecorder(journal);
  const keepsTimeLines = runtime.config.simulator?.keepsTimeLines === true;
  const simulation = { scenarios: readScenario, recorder: keepsTimeLines ? recorder : null };
  return { context: httpContext(runtime, services, 'simulator', simulation), recorder, journal };
}

/**
 * The control API needs no token while only this machine can reach the service. Else it needs the
 * one that the operator has set; without one it is closed, by a random token that nobody knows.
 */
export function simulatorOptions(
  { config, clock, random, movableTime, listeners }: Runtime,
  { addresses }: HttpContext,
  engine: Engine,
  journal: Journal,
  sessions = new Sessions(clock, simulatorRandom),
) {
  const unknownToken = Buffer.from(random.bytes(32)).toString('hex');
  const token = config.simulatorToken?.reveal() ?? (isLocalOnly(config) ? null : unknownToken);
  const { publicUrl, allowedHosts } = config;
  const control = { publicUrl, allowedHosts, token };
  const time = movableTime === null ? {} : { time: movableTime };
  const keepsMs = config.retentionMs;
  const addressOf: AddressOf = (request) => addresses.keyOf(request);
  const own = { hostRefusesUnknown: true, timer: systemTimer, control, addressOf };
  return { ...own, engine, journal, sessions, keepsMs, webhooks: listeners, ...time };
}
