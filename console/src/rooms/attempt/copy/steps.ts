/** The steps of a sign-in in its time line. */
import type { Entry, Exchange, TimeLine } from '@miftah/contract/control';
import { lastOf } from '../../../parts/lists.ts';
import { canBeCopied } from './curl.ts';

export type Step = { readonly name: string; readonly exchange: Exchange };

/** The last of this name that was answered well, or else the last. */
export function stepOf({ entries }: TimeLine, name: string): Step | undefined {
  const all = entries.filter((entry) => entry.name === name && canBeCopied(entry));
  const best = lastOf(all, ({ exchange }) => exchange?.code === null) ?? all.at(-1);
  const exchange = best?.exchange ?? null;
  return exchange === null ? undefined : { name, exchange };
}

const GIVES_CODE = /[?&]completion_code=/;

/** The newest answer that sent a browser back to the application with a completion code. */
export function returnOf({ entries }: TimeLine): Exchange | undefined {
  return lastOf(entries, isReturn)?.exchange ?? undefined;
}

function isReturn({ side, exchange }: Entry): boolean {
  const { location, refresh } = exchange?.response.headers ?? {};
  return side === 'area_a' && GIVES_CODE.test(location ?? refresh ?? '');
}

/** What a person, and no chosen outcome, has decided on the phone. */
export function phoneDecisionOf({ entries }: TimeLine): string | undefined {
  return lastOf(entries, isOnPhone)?.act?.decision ?? undefined;
}

function isOnPhone({ side, name, act }: Entry): boolean {
  return side === 'phone' && name === 'decision' && act?.by === 'person';
}

export function membersOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}
