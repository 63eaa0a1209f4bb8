import type { KnownRoutes } from '@miftah/schema/known-routes';
import type { FastifyRequest } from 'fastify';
import type { Sessions } from './access/sessions.ts';
import type { ResultSender } from './callbacks/result-sender.ts';
import type { Engine } from './engine/engine.ts';
import type { Ms } from './engine/ports.ts';
import type { HostedAttempts, HostedOpenid, HostedPrompts, HostedWebhooks } from './hosted.ts';
import type { Journal } from './journal/journal.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { TokenSigner } from './keys/token-signer.ts';
import type { MovableTime } from './platform/movable-time.ts';
import type { Post } from './platform/platform.ts';
import type { Timer } from './platform/timer.ts';

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
  readonly resultSender: ResultSender | null;
  readonly relyingParty: RelyingParty | null;
  /** What happens to each attempt, for those who look at it. */
  readonly journal: Journal;
  /** Null: the service is another program, which keeps them. */
  readonly attempts: HostedAttempts | null;
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

/** The client address of a request. Streams, waits, tries of a code and replays are limited for each. */
export type AddressOf = (request: Pick<FastifyRequest, 'ip' | 'socket'>) => string;

export interface ControlOptions {
  /** All addresses below `/simulator`. */
  readonly routes: KnownRoutes;
  readonly hostRefusesUnknown: boolean;
  readonly timer: Timer;
  readonly addressOf: AddressOf;
  /** Null: the service is another program, which keeps them. */
  readonly attempts: HostedAttempts | null;
  readonly engine: Engine;
  readonly keys: KeyRing;
  readonly control: ControlAccess;
  readonly journal: Journal;
  readonly sessions: Sessions;
  readonly hosted: HostedPrompts | null;
  /** Null: the service is another program, which sends them. */
  readonly webhooks: HostedWebhooks | null;
  /** Null: no service in this process is an OpenID Provider that does what tests choose. */
  readonly openid: HostedOpenid | null;
  readonly time: MovableTime;
  /** False: the time is shared with others, so nobody may move it. */
  readonly mayMoveTime: boolean;
  /** How long an attempt is kept after its expiry; null: none is removed by its age. */
  readonly keepsMs: Ms | null;
}

/**
 * The prefixes of the paths of area B by default: all that are reported, because providers have pushes
 * at the one and sign-ins by browser at the other, on one origin. The first one is that of the interface
 * document.
 */
export const REPORTED_PREFIXES = ['/stg', ''] as const;

export function prefixesOf({ providerPrefixes }: SimulatorOptions): readonly string[] {
  return [...new Set(providerPrefixes ?? REPORTED_PREFIXES)];
}

export interface SimulatorOptions {
  /**
   * Whether unknown paths and methods below `/simulator` are left to the application around the
   * plugin, which answers those of its own paths. By default the control API answers them.
   */
  readonly hostRefusesUnknown?: boolean;
  readonly engine: Engine;
  readonly timer: Timer;
  readonly control: ControlAccess;
  /** By default the address of the connection. */
  readonly addressOf?: AddressOf;
  /** The browsers that may use the control API. Without it, codes come from the control API alone. */
  readonly sessions?: Sessions;
  /** The time that the engine has its clock from. Without it, nobody can move the time. */
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
  /** Attempts that the control API lists, waits for and starts again. */
  readonly attempts?: HostedAttempts | null;
  /** Webhooks that the control API gives to whoever listens. */
  readonly webhooks?: HostedWebhooks | null;
  /** The OpenID Provider of a service in this process, where it does what tests choose. */
  readonly openid?: HostedOpenid | null;
  /** The journal into which a service in this process records its answers. Without it, one is made. */
  readonly journal?: Journal;
}
