import { StoreOpenError } from '../store-fault.ts';

/**
 * What keeps every service away from one of the two databases of a move (decision 0137). It is a row
 * among the migrations, with a name that no version knows: so earlier versions refuse the store too.
 */
export interface Fence {
  /** `moved`: the store went to `place`. `arriving`: it is a copy of `place` that nobody may use yet. */
  readonly kind: 'moved' | 'arriving';
  readonly place: string;
  readonly at: string;
}

/** No migration has this position, so a store has one fence at most. */
const POSITION = 0;

const WORDS = { moved: 'to', arriving: 'from' } as const;
const FORM = /^(moved|arriving) (\S+) (?:to|from) (.+)$/s;

export const SET_FENCE = (fence: Fence): string =>
  `INSERT INTO schema_migrations (name, position) VALUES (${literal(nameOf(fence))}, ${POSITION})`;
export const DROP_FENCE = `DELETE FROM schema_migrations WHERE position = ${POSITION}`;
export const READ_NAMES = 'SELECT name FROM schema_migrations';

function nameOf({ kind, place, at }: Fence): string {
  return `${kind} ${at} ${WORDS[kind]} ${place}`;
}

/** @param names of the migrations that a store has */
export function fenceIn(names: Iterable<string>): Fence | null {
  for (const name of names) {
    const [, kind, at = '', place = ''] = FORM.exec(name) ?? [];
    if (kind === 'moved' || kind === 'arriving') return { kind, at, place };
  }
  return null;
}

/** @param what the store, as a sentence begins @throws StoreOpenError where there is a fence */
export function requireNoFence(names: Iterable<string>, what: string): void {
  const fence = fenceIn(names);
  if (fence !== null) throw new StoreOpenError('store.moved', fenceWords(fence, what).join(' '));
}

/** What it means, and what to do. */
export function fenceWords({ kind, place, at }: Fence, what: string): readonly [string, string] {
  if (kind === 'moved') {
    return [
      `${what} was moved to ${place} at ${at}, and no service may use it any more: its tokens are ` +
        'good there.',
      'Start the service with the settings of that place. To go back, move it back: `miftah move ' +
        '--to`, as docs/scale.md says.',
    ];
  }
  return [
    `${what} has a copy of ${place} whose move did not come to its end.`,
    'Run the same `miftah move` again: it finishes.',
  ];
}

/** Text as both databases read it. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
