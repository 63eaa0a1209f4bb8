import type { Scenario } from '../attempt/scenario.ts';
import type { Ms } from '../values/time.ts';
import type { DocumentType } from '../account/user.ts';
import type { AttemptReference, LoginResult } from '../provider/identity-provider.port.ts';

/** An invented person, as shown on the sign-in page and in the banner. */
export interface TestPerson {
  readonly id: string;
  readonly nationalId: string;
  readonly documentType: DocumentType;
  readonly arabicName: string;
  readonly englishName: string;
  readonly isDefault: boolean;
}

export interface WantedPeople {
  readonly limit: number;
  /** In the id, the number, a name or the note; empty for everybody. */
  readonly search?: string;
}

/** A number that belongs to no test person, and the fixed result of a push to it. */
export interface ReservedIdentity {
  readonly nationalId: string;
  readonly title: { readonly ar: string; readonly en: string };
}

/** What the person of a chosen outcome does on the open sign-in page, and when. */
export interface PageAct {
  readonly decision: SimulatedDecision;
  readonly at: Ms;
}

export type SimulatedDecision = 'approve' | 'refuse' | 'not_me';

/** What is stored of the answer to a start. */
export interface SimulatedStart {
  /** The number to match; null in the redirect flow. */
  readonly bindingCode: string | null;
  /** What was chosen for the attempt, by its start or by the queue of its scope. */
  readonly scenario: Scenario | null;
}

/**
 * The simulated provider, in this process: a call is cheap, and no answer can be lost. It keeps the
 * promises P-1 to P-33 of `provider/identity-provider.port.ts`, and can decide in place of the person.
 * Live mode has none.
 *
 * - M-1: `decide` gives the result of the decision, for the caller to store: the provider does not
 *   keep it. Only a decision whose result is still `waiting` is kept, where every instance finds it
 *   (`SharedNotes`); `collect` gives its result when it is there.
 * - M-2: without a person, the listed person with the attempt's identifier decides, or else the
 *   fixed default person.
 * - M-3: an attempt that has a result, by the time or by a kept decision, keeps it: a decision
 *   changes nothing and that result is given.
 * - M-4: an outcome that was chosen for an attempt of the redirect flow acts when the sign-in page is
 *   open: `actOnPage` says what the person does there and when, null if nothing by themselves.
 */
export interface Simulation {
  /** Tells the provider that a browser will come for this attempt. @throws Refusal */
  openRedirect(attempt: AttemptReference): Promise<SimulatedStart>;
  /** Sends a prompt to the person's phone. @throws Refusal */
  requestPush(attempt: AttemptReference): Promise<SimulatedStart>;
  /** Asks for the person's decision on an attempt. @throws Refusal */
  readonly collect: (attempt: AttemptReference, now: Ms) => Promise<LoginResult>;
  /**
   * The first of the people who are wanted, the default person before the others: those of the
   * attempt's scope; without an attempt, of the default one.
   */
  people(wanted: WantedPeople, attempt?: Pick<AttemptReference, 'scenario'>): readonly TestPerson[];
  reserved(): readonly ReservedIdentity[];
  /** @throws Refusal `storage.unavailable` */
  actOnPage(attempt: AttemptReference, now: Ms): Promise<PageAct | null>;
  /**
   * @throws Refusal `validation.failed` for an unknown person; `storage.unavailable`;
   * `provider.unavailable` by a fault that a test has set, after which it can be tried again
   */
  decide(
    attempt: AttemptReference,
    decision: SimulatedDecision,
    personId: string | null,
    now: Ms,
  ): Promise<LoginResult>;
}
