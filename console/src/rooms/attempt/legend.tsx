import type { JSX } from 'preact';
import type { Entry } from '@miftah/contract/control';
import { Outside } from '../../parts/outside.tsx';
import { laneOf, SIDES, sideName } from './names.ts';

/** The lanes of the time line, of which an attempt has some. */
export function Legend({ entries }: { readonly entries: readonly Entry[] }): JSX.Element {
  const seen = new Set(entries.map(laneOf));
  return (
    <ul class="legend" aria-hidden="true">
      {SIDES.filter((side) => seen.has(side)).map((side) => (
        <li key={side} data-side={side}>
          <Outside text={sideName(side)} />
        </li>
      ))}
    </ul>
  );
}
