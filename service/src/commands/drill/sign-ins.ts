import type { Miftah } from '@miftah/client';
import { PageFault, PageVisitor } from '@miftah/contract/page-visitor';
import type { Clock } from '../../platform/runtime.port.ts';
import { controlOf } from '../instance/control.ts';
import { DriveFailure, interrupted, misused } from '../instance/failure.ts';
import { findPrompt } from '../instance/find-prompt.ts';
import { peopleOf } from '../instance/people-named.ts';
import { textOf, type Row } from '../instance/rows.ts';
import type { Session } from '../instance/session.ts';
import { MINUTE_MS, SECOND_MS } from '../../values/time.ts';

/** How long the parts of one sign-in took, in milliseconds. */
export interface Took {
  readonly start: number;
  /** From the answer of the start until the result is known. */
  readonly person: number;
  readonly token: number;
  readonly whole: number;
}

/** How far a sign-in has come. */
export interface Progress {
  /** Of whose times `Took` has each. */
  step: 'start' | 'person' | 'token';
  attemptId: string | null;
}

export const begunProgress = (): Progress => ({ step: 'start', attemptId: null });

/**
 * One whole sign-in, with the part of the person, which says in `progress` how far it has come.
 * @throws MiftahError, DriveFailure
 */
export type SignIn = (place: number, progress: Progress) => Promise<Took>;

export interface DrillOptions {
  readonly client: Miftah;
  readonly returnAddress: string | undefined;
  /** The origin of the simulator that the service calls. */
  readonly simulator: string;
  /** How many there will be. */
  readonly signIns: number;
}

const PROMPT_LIMIT_MS = 5 * SECOND_MS;
/** For all pages of one sign-in, so that a page without an end ends. */
const PAGES_LIMIT_MS = MINUTE_MS;

/** By browser. Nothing but the service and the simulator is opened. @throws DriveFailure */
export async function byBrowser(session: Session, options: DrillOptions): Promise<SignIn> {
  const { context, instance } = session;
  const { client, simulator } = options;
  const [first] = await peopleAt(session, simulator, 1);
  const mayOpen = (origin: string) => {
    if (origin !== instance.origin && origin !== simulator) throw elsewhere(origin);
  };
  return async (place, progress) => {
    const time = stopwatch(context.clock);
    const attempt = await client.start(startOf(options, place));
    const start = time();
    Object.assign(progress, { step: 'person', attemptId: attempt.id });
    const signal = AbortSignal.any([context.stop, AbortSignal.timeout(PAGES_LIMIT_MS)]);
    const visitor = new PageVisitor({ fetch: context.fetch, signal, mayOpen });
    const choice = { person: textOf(first ?? {}, 'id'), decision: 'approve' };
    const back = await visitor
      .signIn(new URL(attempt.authorizationUrl), choice, isReturn)
      .catch((error: unknown) => toFailure(error, context.stop));
    const person = time();
    progress.step = 'token';
    const completionCode = broughtBy(back).get('completion_code') ?? undefined;
    await attempt.issueToken({
      endUserAddress: addressOf(place),
      ...(completionCode === undefined ? {} : { completionCode }),
    });
    return tookOf(start, person, time());
  };
}

const isReturn = (url: URL) => broughtBy(url).has('attempt_id');

/** In the query or in the fragment, as the client has chosen. */
function broughtBy({ search, hash }: URL): URLSearchParams {
  return new URLSearchParams(hash === '' ? search : hash.slice(1));
}

function toFailure(error: unknown, stop: AbortSignal): never {
  if (stop.aborted) throw interrupted();
  if (error instanceof Error && error.name === 'TimeoutError') {
    const message = `The pages of a sign-in took longer than ${PAGES_LIMIT_MS / SECOND_MS} seconds.`;
    throw new DriveFailure({ code: 'page.late', message });
  }
  if (!(error instanceof PageFault)) throw error;
  throw new DriveFailure({ code: `page.unexpected.${error.status}`, message: error.message });
}

/** By phone, each person in turn. @throws DriveFailure */
export async function byPhone(session: Session, options: DrillOptions): Promise<SignIn> {
  const { context } = session;
  const { simulator, signIns } = options;
  const people = await peopleAt(session, simulator, signIns);
  const at = sessionAt(session, simulator);
  return async (place, progress) => {
    const time = stopwatch(context.clock);
    const nationalId = textOf(people[place % people.length] ?? {}, 'national_id');
    const attempt = await options.client.start({ ...startOf(options, place), nationalId });
    const start = time();
    Object.assign(progress, { step: 'person', attemptId: attempt.id });
    const prompt = await findPrompt(at, attempt.id, PROMPT_LIMIT_MS);
    const body = { decision: 'approve' };
    await at.control.call('decidePrompt', { id: textOf(prompt, 'id'), body });
    await attempt.waitForResult({ signal: context.stop });
    const person = time();
    progress.step = 'token';
    await attempt.issueToken({ endUserAddress: addressOf(place) });
    return tookOf(start, person, time());
  };
}

function sessionAt(session: Session, origin: string): Session {
  const { context, instance } = session;
  return { ...session, control: controlOf({ ...instance, origin, scope: null }, context) };
}

/** @throws DriveFailure where no simulator answers */
async function peopleAt(session: Session, origin: string, most: number): Promise<readonly Row[]> {
  const people = await peopleOf(sessionAt(session, origin), most);
  if (people.length === 0) throw misused('The simulator has nobody who could sign in.');
  return people;
}

function startOf({ returnAddress }: DrillOptions, place: number) {
  return { locale: 'en', returnAddress, endUserAddress: addressOf(place) };
}

/** Everybody has an address of their own, as people have: the service limits each. */
function addressOf(place: number): string {
  return `10.${(place >> 16) % 256}.${(place >> 8) % 256}.${place % 256}`;
}

function stopwatch(clock: Clock): () => number {
  const beganAt = clock.now();
  return () => clock.now() - beganAt;
}

function tookOf(start: number, person: number, whole: number): Took {
  return { start, person: person - start, token: whole - person, whole };
}

function elsewhere(origin: string): DriveFailure {
  return new DriveFailure({
    code: 'command.not_the_simulator',
    message: `A sign-in leads to ${origin}, which is not the simulator of this drill and was not opened.`,
    remedy: 'If it is the simulator that the service calls, name it with --simulator.',
  });
}
