import type { TokenMark } from '../account/api-token.ts';

/**
 * Everything that differs between modes, in one place. No other code asks for the mode: the wiring
 * chooses one of these objects, and flows and HTTP read the values that they need.
 */
export interface Rules {
  /** The prefix of API tokens. Tokens with another prefix are not looked up. */
  readonly tokenMark: TokenMark;
  /** `clients`: a start needs a client's key, unless a client may start this flow without one. */
  readonly startedBy: 'anybody' | 'clients';
  /** `owner`: only a confidential client's own key can redeem or cancel its attempts. */
  readonly redeemedBy: 'anybody' | 'owner';
  /** Whether redeeming an attempt of the redirect flow needs its completion code. */
  readonly requiresCompletionCode: boolean;
  /** `masked`: a status does not say who signed in; only the redemption does. */
  readonly statusShows: 'everything' | 'masked';
  /** Whether pushes are counted and limited (attempt/start/push-budget.ts). */
  readonly hasPushBudgets: boolean;
  /**
   * Whether a confidential client's back end may state its end users' addresses, which are then
   * used for the rate limits.
   */
  readonly believesBackEnds: boolean;
  /**
   * Whether Host may be any name of this machine, and any page served from this machine may read
   * answers.
   */
  readonly trustsLoopback: boolean;
  /**
   * Whether a start is refused while our clock differs from the machine's: a remote provider
   * compares times with its own clock.
   */
  readonly needsSoundClock: boolean;
  /**
   * Whether the home page can start and decide attempts; the only credential is the page's origin.
   */
  readonly hasTrial: boolean;
  /** Whether the launch page says that this is a rehearsal and nobody real signs in. */
  readonly launchIsRehearsed: boolean;
}

/** The interface document's usage as shown: no credentials, all values visible, invented people. */
export const SIMULATOR_RULES: Rules = {
  tokenMark: 'simulator',
  startedBy: 'anybody',
  redeemedBy: 'anybody',
  requiresCompletionCode: false,
  statusShows: 'everything',
  hasPushBudgets: false,
  believesBackEnds: false,
  trustsLoopback: true,
  needsSoundClock: false,
  hasTrial: true,
  launchIsRehearsed: false,
};

/** For real identities. */
export const LIVE_RULES: Rules = {
  tokenMark: 'live',
  startedBy: 'clients',
  redeemedBy: 'owner',
  requiresCompletionCode: true,
  statusShows: 'masked',
  hasPushBudgets: true,
  believesBackEnds: true,
  trustsLoopback: false,
  needsSoundClock: true,
  hasTrial: false,
  launchIsRehearsed: false,
};

/** Live mode's rules against a simulator: its tokens can be told from real ones. */
export const REHEARSAL_RULES: Rules = {
  ...LIVE_RULES,
  tokenMark: 'simulator',
  launchIsRehearsed: true,
};

/**
 * Rehearsal rules with the simulator in this process, whose launch page is called a simulation.
 * Invented people need no push budgets.
 */
export const STRICT_RULES: Rules = {
  ...REHEARSAL_RULES,
  hasPushBudgets: false,
  launchIsRehearsed: false,
};
