import type { Ms } from './engine/ports.ts';
import type { Prompt } from './engine/prompts/prompts.ts';
import type { Wanted } from './engine/prompts/prompt-shelf.ts';
import type { DecisionRequest } from './engine/requests.ts';
import type { DecisionResult } from './engine/results.ts';

/** What a service that has the simulator in its process gives to it: its prompts and its attempts. */

/** How many prompts: the newest, as many as a list shows, or all of the scope. */
export type Reach = 'newest' | 'all';

/**
 * The prompts of a service in this process that keeps them itself. The id of a prompt is the id of
 * its request.
 */
export interface HostedPrompts {
  /** The prompts of a scope that wait for a person: those of one request, or all. */
  waiting(wanted: Wanted, now: Ms, reach: Reach): Promise<readonly Prompt[]>;
  decide(request: DecisionRequest, now: Ms): Promise<DecisionResult>;
  /** The prompt of a request in any state; null for an unknown one, and for another scope's. */
  find(requestId: string, scope: string, now: Ms): Promise<Prompt | null>;
}

/** The name of an application. */
export interface ApplicationName {
  readonly ar: string;
  readonly en: string;
}

/** An attempt in a list, as the service or an imported file has it: without anything of a person. */
export interface ListedAttempt {
  readonly id: string;
  readonly flow: string;
  /** As the service names it. */
  readonly state: string;
  /** Why it was rejected or failed; null otherwise. */
  readonly reason: string | null;
  readonly scope: string;
  /** The application that started it; null where it is not known. */
  readonly client: ApplicationName | null;
  /** The service at the provider; null where it is not known. */
  readonly service: string | null;
  readonly createdAt: Ms;
  readonly expiresAt: Ms;
}

/** An attempt of the service. The simulator shows its national id only where it is of an invented person. */
export interface HostedAttempt extends ListedAttempt {
  /** The person who has signed in, or else the one that the start names; null while there is none. */
  readonly nationalId: string | null;
}

/** The part of a list that is asked for. */
export interface ListedPart {
  readonly limit: number;
  /** The id of an attempt: only those that began before it. Null: from the newest on. */
  readonly before: string | null;
}

/** From where a sign-in was started: the service knows it, and its provider does not. */
export interface SignInOrigin {
  /** Null where it is not known. */
  readonly application: ApplicationName | null;
  /** The network address of the person, as the service sees it; null where it is not known. */
  readonly place: string | null;
}

/** What is started again: an attempt of the service, or the body of a start from an imported file. */
export type ReplaySource = { readonly attemptId: string } | { readonly body: unknown };

/** What the headers of the new start say. */
export interface ReplayChoice {
  readonly scope: string;
  /** As in `X-Simulate`; null for nothing. */
  readonly outcome: string | null;
}

/** The answer of the new start, or the code of the error that refused it. */
export type ReplayResult = {
  /** What an answer says of limits, and of when to try again. */
  readonly headers: Readonly<Record<string, string>>;
} & (
  { readonly ok: true; readonly started: object } | { readonly ok: false; readonly reason: string }
);

/** The attempts of a service in this process. */
export interface HostedAttempts {
  /** Those of a scope, newest first, as they are stored; null where `before` is no id. */
  list(scope: string, part: ListedPart): Promise<readonly HostedAttempt[] | null>;
  /** As it is stored; null for an unknown id, and for another scope's. */
  find(attemptId: string, scope: string): Promise<HostedAttempt | null>;
  /** The state now, as the service names it; null for an unknown id, and for another scope's. */
  stateOf(attemptId: string, scope: string): Promise<string | null>;
  /** Whether a client has this key. */
  isKey(key: string): boolean;
  /** All members are null for an unknown id, and for another scope's. */
  originOf(attemptId: string, scope: string): Promise<SignInOrigin>;
  /**
   * Starts a sign-in with the same application, flow, person and language. The body of an imported
   * file names no application: the first one that may start this flow is taken. The start is counted
   * under the client address of the caller (`AddressOf`), and refused with `rate_limited` where that
   * has started too many.
   */
  replay(source: ReplaySource, choice: ReplayChoice, caller: string): Promise<ReplayResult>;
}

/** The OpenID Provider of a service in this process. It gives out what `takeIdTokenFlaw` says. */
export interface HostedOpenid {
  /** Signs with the next keys from now on. False: it was asked for nothing yet, and has no keys. */
  rotateKeys(): Promise<boolean>;
}

/** A webhook that the service has for the application of an attempt, with the headers that sign it. */
export interface HostedWebhook {
  /** Later ones have larger numbers. */
  readonly number: number;
  readonly client: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The webhooks of a service in this process. */
export interface HostedWebhooks {
  /** From now on they are kept, and what is due comes at once. */
  listen(): Promise<void>;
  /** Those of a scope with a larger number, in the order of their numbers. */
  after(scope: string, number: number): readonly HostedWebhook[];
  /** The number that the next one is larger than. */
  last(): number;
  /** The ids of all applications, of which each may be told. */
  clients(): readonly string[];
  /** Also of those that were on their way. */
  reset(scope: string): Promise<void>;
}
