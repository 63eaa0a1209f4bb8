import type { TokenMark } from './api-token.ts';

/**
 * What differs from one mode to another, said once. Nothing else asks which mode it is: the wiring
 * chooses one of these, and flows and HTTP read what they need of it.
 */
export interface Rules {
  /** What API tokens begin with; one with another beginning is not read. */
  readonly tokenMark: TokenMark;
  /** `clients`: who starts shows a client's key, or a client is open to everybody for that flow. */
  readonly startedBy: 'anybody' | 'clients';
  /** `owner`: a confidential client's attempts are redeemed with its key only. */
  readonly redeemedBy: 'anybody' | 'owner';
  /** Whether an attempt by redirect is redeemed with its completion code only. */
  readonly requiresCompletionCode: boolean;
  /** `masked`: a status names nobody; who it was is told at the redemption. */
  readonly statusShows: 'everything' | 'masked';
  /** Whether pushes are counted, and how many may reach one person. */
  readonly hasPushBudgets: boolean;
  /** Whether a confidential client is believed about where its people are, and counted by that. */
  readonly believesBackEnds: boolean;
  /** Whether any name of this machine may stand in Host, and any of its pages may read answers. */
  readonly trustsLoopback: boolean;
  /** Whether a start is refused while our clock disagrees with the machine's: a provider has its own. */
  readonly needsSoundClock: boolean;
  /** Whether the home page starts attempts and decides them, with no credential but its origin. */
  readonly hasTrial: boolean;
  /** Whether the launch page says that nobody real signs in. */
  readonly launchIsRehearsed: boolean;
}

/** The shown usage of the interface document: no credential, nothing hidden, nobody real. */
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

/** Real identities. */
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

/** The same, against a simulator: nothing that it issues is taken for real. */
export const REHEARSAL_RULES: Rules = {
  ...LIVE_RULES,
  tokenMark: 'simulator',
  launchIsRehearsed: true,
};

/** The same, with the simulator in this process. Nobody real is worn down by pushes. */
export const STRICT_RULES: Rules = { ...REHEARSAL_RULES, hasPushBudgets: false };
