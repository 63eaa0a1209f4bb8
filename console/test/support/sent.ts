import * as fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.ts';
import type { Entry, Exchange, Row, TimeLine } from '@miftah/contract/control';

/** Requests for the tests of what is copied. */

export const ORIGIN = 'http://127.0.0.1:3000';
export const ID = '019a9d3c-1b2e-7c41-9f0a-3d5e6f708192';

type Sent = Partial<Exchange> & { readonly body?: unknown; readonly headers?: object };

export function exchange({ body = null, headers = {}, ...rest }: Sent): Exchange {
  return {
    method: body === null ? 'GET' : 'POST',
    path: '/api/v1/start',
    status: 200,
    code: null,
    duration_ms: 1,
    request: { headers: { ...headers }, body },
    response: { headers: {}, body: null },
    ...rest,
  };
}

export function timeLine(...calls: readonly [name: string, call: Exchange][]): TimeLine {
  const entries = calls.map(([name, call], index): Entry => ({
    number: index + 1,
    at: '',
    side: 'area_a',
    name,
    exchange: call,
    act: null,
  }));
  return { attempt: { id: ID } as Row, entries, left_out: 0, findings: [] };
}

/** Texts that are likely to break something, among any others. */
export const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .array(
      fc.constantFrom(
        ...Array.from(`'"\\$\`%@-[]{}•1?&=\n\t\0 `),
        '$HOME',
        '\\ue000',
        '\ue000',
        '\\u0041',
      ),
    )
    .map((parts) => parts.join('')),
);
/** Nothing in it was masked. */
export const isPlain = (value: unknown) =>
  !/\[masked\]|\p{Nd}•{7}\p{Nd}{2}/u.test(JSON.stringify(value));
