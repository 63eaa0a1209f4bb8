import { expect } from 'vitest';
import type { TestService } from './test-service.ts';

/** An entry of a time line, as the control API gives it. */
export interface WireEntry {
  readonly number: number;
  readonly at: string;
  readonly side: string;
  readonly name: string;
  readonly exchange: null | {
    readonly method: string;
    readonly path: string;
    readonly status: number | null;
    readonly code: string | null;
    readonly duration_ms: number;
    readonly request: { readonly headers: Record<string, string>; readonly body: unknown };
    readonly response: { readonly headers: Record<string, string>; readonly body: unknown };
  };
  readonly act: null | { readonly decision: string | null; readonly by: string };
}

export interface TimeLine {
  readonly attempt: Readonly<Record<string, unknown>>;
  readonly entries: readonly WireEntry[];
  /** What the coach says. */
  readonly findings: readonly { readonly rule: string }[];
  /** The whole answer. */
  readonly text: string;
}

export async function timeLineOf(
  { app }: TestService,
  attemptId: string,
  headers: Record<string, string> = {},
): Promise<TimeLine> {
  const answer = await app.inject({ url: `/simulator/attempts/${attemptId}`, headers });
  expect(answer.statusCode, answer.payload).toBe(200);
  const { data } = answer.json<{ data: Omit<TimeLine, 'text'> }>();
  return { ...data, text: answer.payload };
}

/** Side and name of each entry, with the status and the code of an exchange. */
export function stepsOf({ entries }: TimeLine): readonly string[] {
  return entries.map(({ side, name, exchange, act }) => {
    const { status = null, code = null } = exchange ?? {};
    const told = exchange === null ? (act?.decision ?? '') : `${status ?? 'lost'} ${code ?? ''}`;
    return `${side} ${name} ${told}`.trim();
  });
}
