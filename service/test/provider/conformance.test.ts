import { BUILT_IN_PEOPLE, outcomeId } from '@miftah/simulator/engine';
import { afterAll, beforeAll } from 'vitest';
import { parseNationalId, type NationalId } from '../../src/account/user.ts';
import { providerConformance } from '../conformance/provider.ts';
import type { Cast, KnownPerson } from '../conformance/provider-under-test.ts';
import {
  openLive,
  runProvider,
  type RunningProvider,
} from '../support/provider/live-under-test.ts';
import { inBoth } from '../support/provider/provider-under-test.ts';
import { openSimulated } from '../support/provider/simulated-under-test.ts';

/** One contract for two drivers: what works in simulator mode also works in live mode. */

function idOf(text: string): NationalId {
  const nationalId = parseNationalId(text);
  if (nationalId === null) throw new Error(`${text} is no national id`);
  return nationalId;
}

function known(id: string): KnownPerson {
  const person = BUILT_IN_PEOPLE.all.find((one) => one.id === id);
  if (person === undefined) throw new Error(`nobody is called ${id}`);
  const { documentType, gender, arabicName, englishName, birthDate } = person;
  const nationalId = idOf(person.nationalId);
  const names = { arabicName: arabicName.full, englishName: englishName.full };
  const whole = { documentType, documentNumber: nationalId, nationalId, gender, birthDate };
  const identity = { ...whole, ...names };
  return { id, nationalId, identity };
}

const outcome = (number: number) => idOf(outcomeId(number));
const unsound = (number: number) => ({
  personId: `outcome-${number}`,
  nationalId: outcome(number),
});

const CAST: Cast = {
  people: [known('faisal'), known('siobhan'), known('lukas'), known('hanae')],
  faults: {
    record: outcome(21),
    active: outcome(20),
    gateway: outcome(30),
    error: outcome(31),
    outage: outcome(32),
    slow: outcome(33),
    broken: outcome(34),
    cut: outcome(35),
  },
  results: { twice: outcome(40), early: outcome(41), lost: outcome(42), otherPerson: outcome(53) },
  unsound: [unsound(50), unsound(51), unsound(52), unsound(54)],
};

providerConformance('the simulator in this process', {
  open: openSimulated,
  cast: CAST,
  remote: null,
});

let running: RunningProvider | null = null;
const endings: (() => void | Promise<void>)[] = [];
beforeAll(async () => {
  running = await runProvider((work) => void endings.push(work));
});
afterAll(async () => {
  for (const end of endings.toReversed()) await end();
});

function provider(): RunningProvider {
  if (running === null) throw new Error('the provider is not running yet');
  return running;
}

providerConformance('the live driver, and the simulator in another process', {
  open: () => openLive(provider()),
  cast: CAST,
  remote: {
    openMisaddressed: () => openLive(provider(), { pathPrefixes: inBoth('/nowhere') }),
    // Port 9 is the discard port, on which nothing listens.
    openUnreachable: () => openLive(provider(), { url: 'http://127.0.0.1:9' }),
  },
});
