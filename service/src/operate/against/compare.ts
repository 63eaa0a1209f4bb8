import type { Drift } from './drift.ts';
import type { Facts } from './facts.ts';

/** A place in an answer with a behaviour of its own. */
interface Point {
  readonly at: string;
  readonly what: string;
  readonly set?: (there: string) => string | null;
}

/** The names of a probe and of the behaviours that its answer shows. */
export interface Topic {
  readonly name: string;
  readonly points?: readonly Point[];
}

type Known = { readonly what: string; readonly grade: string; readonly where: string };

/** @param behaviour what the fidelity card says of a point; of the probe itself for undefined */
export type BehaviourOf = (point?: Point) => Known;

const ABSENT = 'not there';
/** Nobody reads more of one answer than these. */
const MOST_DRIFTS = 12;

/** Compares two answers to one question. One row where they are equal. */
export function compare(
  topic: Topic,
  behaviourOf: BehaviourOf,
  simulator: Facts,
  there: Facts,
): readonly Drift[] {
  const places = placesToCompare(simulator, there);
  const row = rowOf(topic, behaviourOf);
  const differing = places.filter((place) => simulator.get(place) !== there.get(place));
  if (differing.length === 0) {
    const form = `${simulator.get('status') ?? ''} ${simulator.get('body') ?? ''}`.trim();
    return [{ ...row(null), simulator: form, there: form }];
  }
  const drifts = differing.slice(0, MOST_DRIFTS).map((place) => ({
    ...row(place, there.get(place) ?? ABSENT),
    simulator: simulator.get(place) ?? ABSENT,
    there: there.get(place) ?? ABSENT,
  }));
  const isOtherKind = !isAlike(simulator, there, 'status');
  const cause = drifts.find(({ at, set }) => isOtherKind && at === 'status' && set !== null);
  return cause === undefined ? drifts : [cause];
}

/** Rows that a setting explains are one, with the names of all probes that have shown it. */
export function withoutRepeats(drifts: readonly Drift[]): readonly Drift[] {
  const all: Drift[] = [];
  for (const drift of drifts) {
    const place = all.findIndex((one) => drift.set !== null && isSame(one, drift));
    const known = all[place];
    if (known === undefined) all.push(drift);
    else all[place] = { ...known, probe: `${known.probe}; ${drift.probe}` };
  }
  return all;
}

const isSame = (one: Drift, other: Drift) =>
  (['behaviour', 'at', 'there', 'set'] as const).every((name) => one[name] === other[name]);

/** Answers of two kinds have nothing below their bodies to compare. */
function placesToCompare(simulator: Facts, there: Facts): readonly string[] {
  const all = [...new Set([...simulator.keys(), ...there.keys()])];
  const sameKind = ['status', 'body'].every((place) => isAlike(simulator, there, place));
  const code = 'body.code';
  return sameKind ? all : all.filter((place) => !/^body[.[?]/.test(place) || place === code);
}

/** 200 and 201 are two ways to say the same. */
function isAlike(simulator: Facts, there: Facts, place: string): boolean {
  const [one, other] = [simulator.get(place), there.get(place)];
  return one === other || (place === 'status' && isSuccess(one) && isSuccess(other));
}

const isSuccess = (status: string | undefined) => status?.startsWith('2') === true;

function rowOf({ name, points = [] }: Topic, behaviourOf: BehaviourOf) {
  return (place: string | null, there = '') => {
    const point = points.find(({ at }) => place?.startsWith(at));
    const { where, what, grade } = behaviourOf(point);
    return {
      probe: name,
      behaviour: `${where}: ${what}`,
      label: grade,
      differs: place !== null,
      at: place,
      set: point?.set?.(there) ?? null,
    };
  };
}
