import { codeOfFailure, otherScheme } from '@miftah/contract/control-client';

/** Exit codes of the commands that drive an instance; docs/command-line.md lists them. */
export const EXIT_FAILED = 1;
export const EXIT_MISUSED = 2;
export const EXIT_UNREACHED = 3;
/** 128 and the number of SIGINT, as shells have it. */
export const EXIT_INTERRUPTED = 130;

export interface FailureOptions {
  /** A code of the service's catalogue, or of this program (`command.…`, `client.…`). */
  readonly code: string;
  readonly message: string;
  readonly remedy?: string | undefined;
  /** What the remedy speaks of, one line each: a pause, a reference, the members that are wrong. */
  readonly facts?: readonly string[];
  readonly requestId?: string | undefined;
  readonly exitCode?: number;
}

/** Why a command has not done what it was asked for. */
export class DriveFailure extends Error {
  override readonly name = 'DriveFailure';
  readonly code: string;
  readonly remedy: string | undefined;
  readonly facts: readonly string[];
  readonly requestId: string | undefined;
  readonly exitCode: number;

  constructor(options: FailureOptions) {
    super(options.message);
    this.code = options.code;
    this.remedy = options.remedy;
    this.facts = options.facts ?? [];
    this.requestId = options.requestId;
    this.exitCode = options.exitCode ?? EXIT_FAILED;
  }
}

export function misused(message: string): DriveFailure {
  const code = 'command.wrong_arguments';
  return new DriveFailure({ code, message, exitCode: EXIT_MISUSED });
}

/** @param error that `fetch` has thrown @param why by default what the error says */
export function unreached(origin: string, error: unknown, why = reasonOf(error)): DriveFailure {
  const other = otherScheme(origin, error);
  return new DriveFailure({
    code: 'command.unreachable',
    message: `No Miftah answers at ${origin}: ${why}.`,
    remedy:
      (other === null ? '' : `Is it ${other}? `) +
      'Start one with `npx miftah dev`, or in a clone with `npm start`; or name another one with ' +
      '--url or MIFTAH_URL.',
    exitCode: EXIT_UNREACHED,
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no connection';
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error instanceof RangeError) return error.message;
  return codeOfFailure(error) || 'no connection';
}

/** @param outcome what has become of what the command had started */
export function interrupted(
  outcome = 'What was started at the instance goes on there.',
): DriveFailure {
  return new DriveFailure({
    code: 'command.interrupted',
    message: `Ended by Ctrl-C. ${outcome}`,
    exitCode: EXIT_INTERRUPTED,
  });
}

/** A UUID, or ten digits and more. */
const LONG = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\p{Nd}{10,}/giu;
/** The largest seed of a fault, which the control API names. */
const LIMITS: ReadonlySet<string> = new Set(['4294967295']);

/**
 * Ten digits and more can be the number of a person; an error is copied into logs and chats. Ids of
 * attempts and the limits of the control API stay.
 */
export function withoutNumbers(text: string): string {
  return text.replaceAll(LONG, (one) => (one.includes('-') || LIMITS.has(one) ? one : '[number]'));
}
