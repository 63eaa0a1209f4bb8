import { BUILT_IN_PEOPLE } from '../../src/engine/people/built-in-people.ts';
import { Engine, type EngineParts } from '../../src/engine/engine.ts';
import { blocksInMemory } from '../../src/engine/references.ts';
import { defaultSettings, type EngineSettings } from '../../src/engine/settings.ts';
import { FakeClock, SeededRandom } from './fakes.ts';

export const ORIGIN = 'http://127.0.0.1:4000';
export const REQUEST_ID = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';

/** The number of the default person, and of another test person. */
export const AMAL = '1000001101';
export const FAISAL = '1000002201';
/** A well-formed number that no person has. */
export const STRANGER = '1000009999';

export interface Bench {
  readonly engine: Engine;
  readonly clock: FakeClock;
}

export function makeEngine(
  settings: Partial<EngineSettings> = {},
  parts: Partial<EngineParts> = {},
): Bench {
  const clock = new FakeClock();
  const engine = new Engine({
    settings: { ...defaultSettings(ORIGIN), ...settings },
    people: BUILT_IN_PEOPLE,
    clock,
    random: new SeededRandom(),
    references: blocksInMemory(),
    ...parts,
  });
  return { engine, clock };
}

/** A push request as area B makes it. */
export function pushFor(nationalId: string, requestId = REQUEST_ID) {
  return { requestId, nationalId, locale: 'ar', service: 'Login' } as const;
}
