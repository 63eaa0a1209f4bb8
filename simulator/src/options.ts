import type { FastifyRequest } from 'fastify';
import type { Sessions } from './access/sessions.ts';
import type { Courier } from './callbacks/courier.ts';
import type { Engine } from './engine/engine.ts';
import type { Ms } from './engine/ports.ts';
import type { Prompt } from './engine/prompts.ts';
import type { Wanted } from './engine/prompt-shelf.ts';
import type { DecisionRequest } from './engine/requests.ts';
import type { DecisionResult } from './engine/results.ts';
import type { Journal } from './journal/journal.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { TokenSigner } from './keys/token-signer.ts';
import type { MovableTime } from './movable-time.ts';
import type { Post } from './platform.ts';
import type { Timer } from './timer.ts';

/**
 * What the provider's gateway requires of every caller: `APP-ID` and `APP-KEY`, in either spelling.
 */
export interface Credentials {
  readonly appId: string;
  readonly appKey: string;
}

/** The application that people sign in to. Nothing is sent to any other address. */
export interface RelyingParty {
  /** The address to which the browser returns, with `state`. */
  readonly returnUrl: string;
  /** By a redirect (GET) or by a form with a button (POST): reports disagree. */
  readonly returnMethod: 'GET' | 'POST';
  /** The address for the signed results of pushes. */
  readonly pushUrl: string;
}

/** What the routes of area B share; created once per registration of the plugin. */
export interface RouteContext {
  readonly engine: Engine;
  readonly timer: Timer;
  /** The engine's clock, for those who wait for a time. */
  readonly time: MovableTime;
  readonly keys: KeyRing;
  readonly signer: TokenSigner;
  /** Null without a relying party. */
  readonly courier: Courier | null;
  readonly relyingParty: RelyingParty | null;
  /** What happens to each attempt, for those who look at it. */
  readonly journal: Journal;
}

/** The status of an accepted push. Reports disagree, so callers should accept any 2xx. */
export type AcceptedStatus = 200 | 201;

export interface ProviderOptions extends RouteContext {
  /** Null: every caller is accepted. */
  readonly credentials: Credentials | null;
  readonly pushStatus: AcceptedStatus;
}

/** The rules for access to the control API. */
export interface ControlAccess {
  /** The simulator's public origin. */
  readonly publicUrl: string;
  /** Additional host names that the Host header may have. */
  readonly allowedHosts?: readonly string[];
  /** Required of every caller; null or absent for none. */
  readonly token?: string | null;
}

/** `newest`: as many as a list shows. */
export type Reach = 'newest' | 'all';

/**
 * The prompts of a service in this process that keeps them itself. The id of a prompt is the id of
 * its request.
 */
export interface HostedPrompts {
  /** What waits for a person in a scope: of one request, or of all. */
  waiting(wanted: Wanted, now: Ms, reach: Reach): Promise<readonly Prompt[]>;
  decide(request: DecisionRequest, now: Ms): Promise<DecisionResult>;
  /** The prompt of a request in any state; null for an unknown one, and for another scope's. */
  find(requestId: string, scope: string, now: Ms): Promise<Prompt | null>;
}

/** One sign-in in a list, as the service has it: without anything of a person. */
export interface ListedAttempt {
  readonly id: string;
  readonly flow: string;
  /** As the service names it. */
  readonly state: string;
  /** Why it was rejected or failed; null otherwise. */
  readonly reason: string | null;
  readonly scope: string;
  /** The name of the application that started it; null where it is not known. */
  readonly client: string | null;
  /** The service at the provider; null where it is not known. */
  readonly service: string | null;
  readonly createdAt: Ms;
  readonly expiresAt: Ms;
}

/** A sign-in of the service. Its number is for the simulator, which shows those of invented people. */
export interface WatchedAttempt extends ListedAttempt {
  /** Of who has signed in, or else of whom the start asks for. Null while it is nobody's. */
  readonly nationalId: string | null;
}

/** A part of a list. */
export interface ListedPart {
  readonly limit: number;
  /** Of an attempt: only those that began before it. Null for the newest. */
  readonly before: string | null;
}

/** What a service knows of a sign-in, and its provider does not. */
export interface Origin {
  /** The name of the application, in the language of the sign-in; null where it is not known. */
  readonly application: string | null;
  /** The network address of who began the sign-in, as the service sees it; null likewise. */
  readonly place: string | null;
}

/** A sign-in that is started again: one of the service's own, or the body of a start. */
export type AgainLike = { readonly attemptId: string } | { readonly body: unknown };

/** What is chosen for it, as by the headers of a start. */
export interface AgainChoice {
  readonly scope: string;
  /** As in `X-Simulate`; null for nothing. */
  readonly outcome: string | null;
}

/** What the start has answered, or the code of the service's error. */
export type StartedAgain =
  | { readonly ok: true; readonly started: object }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Whole seconds; null where nobody knows when it would work. */
      readonly retryAfter: number | null;
    };

/** The attempts of a service in this process. */
export interface WatchedAttempts {
  /** Those of a scope, newest first, as they are stored; null where `before` is no id. */
  list(scope: string, part: ListedPart): Promise<readonly WatchedAttempt[] | null>;
  /** As it is stored; null for an unknown id, and for another scope's. */
  find(attemptId: string, scope: string): Promise<WatchedAttempt | null>;
  /** The state now, as the service names it; null for an unknown id, and for another scope's. */
  stateOf(attemptId: string, scope: string): Promise<string | null>;
  /** Nothing is known of an unknown id, and of another scope's. */
  originOf(attemptId: string, scope: string): Promise<Origin>;
  /**
   * Starts a sign-in with the same application, flow, person and language. A start that is not the
   * service's own is for its first application that may start this flow. It is counted as a start
   * of the caller, as `AddressOf` names it, and refused with `rate_limited` where those were too
   * many.
   */
  startAgain(like: AgainLike, choice: AgainChoice, caller: string): Promise<StartedAgain>;
}

/** What the sender of a request is counted as, where places and tries are counted by address. */
export type AddressOf = (request: Pick<FastifyRequest, 'ip' | 'socket'>) => string;

export interface ControlOptions {
  readonly timer: Timer;
  readonly addressOf: AddressOf;
  /** Null: they are kept by another program. */
  readonly attempts: WatchedAttempts | null;
  readonly engine: Engine;
  readonly keys: KeyRing;
  readonly control: ControlAccess;
  readonly journal: Journal;
  readonly sessions: Sessions;
  readonly hosted: HostedPrompts | null;
  readonly time: MovableTime;
  /** False: the time is shared with others, so nobody may move it. */
  readonly mayMoveTime: boolean;
  /** How long an attempt is kept after its expiry; null: none is removed by its age. */
  readonly keepsMs: Ms | null;
}

/**
 * Where the paths of area B are by default: at each prefix that is reported, because providers have
 * pushes at the one and sign-ins by browser at the other, on one origin. The first one is that of the
 * interface document.
 */
export const REPORTED_PREFIXES = ['/stg', ''] as const;

export function prefixesOf({ providerPrefixes }: SimulatorOptions): readonly string[] {
  return [...new Set(providerPrefixes ?? REPORTED_PREFIXES)];
}

export interface SimulatorOptions {
  readonly engine: Engine;
  readonly timer: Timer;
  readonly control: ControlAccess;
  /** Without it, the address of the connection. */
  readonly addressOf?: AddressOf;
  /** The browsers that may use the control API. Without it, codes come from the control API alone. */
  readonly sessions?: Sessions;
  /** Its provider's clock is the engine's. Without it, nobody can move the time. */
  readonly time?: MovableTime;
  /** How long the service keeps an attempt after its expiry, for those who move the time. */
  readonly keepsMs?: Ms;
  /** Without them every caller is accepted. */
  readonly credentials?: Credentials | null;
  /** 200 by default. */
  readonly pushStatus?: AcceptedStatus;
  /**
   * Area B answers below each: begins with a slash and does not end with one; empty for none.
   * `/stg` and none by default.
   */
  readonly providerPrefixes?: readonly string[];
  /** Without it, keys are made at their first use and lost when the process ends. */
  readonly keys?: KeyRing;
  /** Without it, nothing is sent anywhere, and the sign-in ends on a page of the simulator. */
  readonly relyingParty?: RelyingParty | null;
  /** Sends results to the relying party. */
  readonly post?: Post;
  /** Prompts that the control API lists and decides beside those of area B. */
  readonly hosted?: HostedPrompts | null;
  /** The control API can wait for their ends. */
  readonly attempts?: WatchedAttempts | null;
  /** Of a service in this process, which records what it answers. Without it, one is made. */
  readonly journal?: Journal;
}
