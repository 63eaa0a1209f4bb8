/**
 * How certain it is that a real provider behaves like the simulator. `documented`: the interface
 * document says so. `reported`: integrations with such a provider say so, or their public code
 * relies on it. `assumed`: no source says so; it is our decision.
 */
export const GRADES = ['documented', 'reported', 'assumed'] as const;
export type Grade = (typeof GRADES)[number];

const PLACES = [
  'session',
  'page',
  'exchange',
  'id_token',
  'push',
  'status',
  'callback',
  'push token',
  'keys',
  'gateway',
  'errors',
  'phone',
] as const;

export type Place = (typeof PLACES)[number];

export interface Known {
  readonly what: string;
  readonly grade: Grade;
  /** The source, or the reason for the decision. */
  readonly why: string;
}

export interface Behaviour extends Known {
  readonly where: Place;
}

export function at(where: Place, ...known: readonly Known[]): readonly Behaviour[] {
  return known.map((each) => ({ where, ...each }));
}

export function documented(what: string): Known {
  return { what, grade: 'documented', why: 'the interface document' };
}

/**
 * From at least two independent integrations, or from a provider's description of the interface.
 */
export function several(what: string, more = ''): Known {
  return { what, grade: 'reported', why: `several integrations${more === '' ? '' : `; ${more}`}` };
}

export function one(what: string, more = ''): Known {
  return { what, grade: 'reported', why: `one integration${more === '' ? '' : `; ${more}`}` };
}

export function disputed(what: string, why: string): Known {
  return { what, grade: 'reported', why: `reports disagree: ${why}` };
}

export function assumed(what: string, why: string): Known {
  return { what, grade: 'assumed', why };
}
