import type { JSX } from 'preact';
import { encode } from 'uqr';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';

/** A scanner finds the symbol by the light margin around it. The standard asks for four modules. */
const QUIET_ZONE = 4;

/** An address as a symbol to scan: dark on light in every theme, or some scanners do not read it. */
export function Symbol({ address }: { readonly address: string }): JSX.Element {
  const { data, size } = encode(address, { border: QUIET_ZONE });
  const dark = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      class="symbol"
      role="img"
      aria-label={words.phone.symbol}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
      data-testid={testIds.symbol}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark} fill="#000" />
    </svg>
  );
}
