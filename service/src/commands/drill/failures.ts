import { MiftahError } from '@miftah/client';
import { codeOfFailure } from '@miftah/contract/control-client';
import { DriveFailure } from '../instance/failure.ts';
import type { Progress } from './sign-ins.ts';

/** So that a service that is away fills no terminal. */
const MOST_SHOWN = 20;

/** One sign-in that failed, with what finds it in the log of the service. */
export interface Failed {
  readonly code: string;
  readonly at: string;
  readonly step: Progress['step'];
  readonly attempt_id?: string;
  readonly request_id?: string;
  /** What the code does not say, such as ECONNRESET. */
  readonly cause?: string;
}

export function failedAt(at: number, { step, attemptId }: Progress, error: unknown): Failed {
  const isNamed = error instanceof MiftahError || error instanceof DriveFailure;
  const requestId = isNamed ? error.requestId : undefined;
  const cause = causeOf(error);
  return {
    code: isNamed ? error.code : 'no_answer',
    at: new Date(at).toISOString(),
    step,
    ...(attemptId === null ? {} : { attempt_id: attemptId }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(cause === '' ? {} : { cause }),
  };
}

/** A code of the system; of pages, which have no codes of the catalogue, what is wrong with them. */
function causeOf(error: unknown): string {
  if (error instanceof DriveFailure) return error.message;
  for (let one = error; one instanceof Error; one = one.cause) {
    const code = codeOfFailure(one);
    if (code !== '') return code;
  }
  return '';
}

/** The first ones, of any code. */
export const firstOf = (failures: readonly Failed[]) => failures.slice(0, MOST_SHOWN);

export function countsOf(failures: readonly Failed[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { code } of failures) counts.set(code, (counts.get(code) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** One line each, and how many are left out. */
export function linesOf(failures: readonly Failed[], all: number): readonly string[] {
  const lines = failures.map(({ at, step, code, cause, ...ids }) =>
    [
      at,
      `${STEPS[step]}:`,
      code,
      ...(cause === undefined ? [] : [`(${cause})`]),
      ...(ids.attempt_id === undefined ? [] : [`attempt ${ids.attempt_id}`]),
      ...(ids.request_id === undefined ? [] : [`request ${ids.request_id}`]),
    ].join(' '),
  );
  const more = all - failures.length;
  return more === 0 ? lines : [...lines, `and ${more} more`];
}

const STEPS = { start: 'start', person: 'pages or phone', token: 'token' } as const;
