/**
 * The control API of the simulator, as whoever calls it needs it: its operations by their
 * `operationId` in `/simulator/openapi.json`, and what they answer. Tests compare them with the
 * document and with the schemas of a running instance. It has no schemas itself: it is loaded by the
 * console, in a browser.
 */

/** How far a clock is moved, such as `5m`: the source of a regular expression. */
export const DURATION_PATTERN = '(0|[1-9][0-9]{0,9})(ms|s|m|h|d)';
/** A moment of ISO 8601 with its zone: the source of a regular expression. */
export const MOMENT_PATTERN: string = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})`;

export const CONTROL_OPERATIONS = {
  listPrompts: { method: 'GET', path: '/simulator/prompts' },
  decidePrompt: { method: 'POST', path: '/simulator/prompts/{id}/decision' },
  waitUntil: { method: 'GET', path: '/simulator/wait' },
  listAttempts: { method: 'GET', path: '/simulator/attempts' },
  readAttempt: { method: 'GET', path: '/simulator/attempts/{id}' },
  replayAttempt: { method: 'POST', path: '/simulator/attempts/{id}/replay' },
  listPeople: { method: 'GET', path: '/simulator/people' },
  readPerson: { method: 'GET', path: '/simulator/people/{id}' },
  putPerson: { method: 'PUT', path: '/simulator/people/{id}' },
  removePerson: { method: 'DELETE', path: '/simulator/people/{id}' },
  resetScope: { method: 'POST', path: '/simulator/reset' },
  listOutcomes: { method: 'GET', path: '/simulator/outcomes' },
  readClock: { method: 'GET', path: '/simulator/clock' },
  moveClock: { method: 'POST', path: '/simulator/clock' },
  listNext: { method: 'GET', path: '/simulator/next' },
  queueNext: { method: 'POST', path: '/simulator/next' },
  clearNext: { method: 'DELETE', path: '/simulator/next' },
  listFaults: { method: 'GET', path: '/simulator/faults' },
  setFaults: { method: 'PUT', path: '/simulator/faults' },
  nextOfOpenid: { method: 'POST', path: '/simulator/openid/next' },
  rotateOpenidKeys: { method: 'POST', path: '/simulator/openid/keys/rotate' },
  listKeys: { method: 'GET', path: '/simulator/keys' },
  announceKey: { method: 'POST', path: '/simulator/keys/announce' },
  rotateKeys: { method: 'POST', path: '/simulator/keys/rotate' },
  createSessionCode: { method: 'POST', path: '/simulator/session-codes' },
  importAttempt: { method: 'POST', path: '/simulator/import' },
  listWebhooks: { method: 'GET', path: '/simulator/webhooks' },
} as const;

export type ControlOperation = keyof typeof CONTROL_OPERATIONS;

/** The member `data` of the answers whose members are read here; of the others callers look at it. */
export interface ControlAnswers extends Readonly<Record<ControlOperation, unknown>> {
  readonly listAttempts: readonly Row[];
  readonly readAttempt: TimeLine;
  readonly replayAttempt: { readonly attempt_id: string };
  readonly importAttempt: Row;
  readonly listPeople: readonly PersonRow[];
  readonly readPerson: PersonRow;
  readonly resetScope: { readonly prompts: number };
  readonly listOutcomes: readonly Outcome[];
  readonly listNext: readonly Queued[];
  readonly readClock: ClockState;
  readonly listFaults: readonly CountedRule[];
  readonly createSessionCode: OneTimeCode;
  readonly listWebhooks: HeardWebhooks;
}

/** One sign-in of the list. */
export type Row = {
  readonly id: string;
  /** `oidc`: by browser; `mfa`: by phone. */
  readonly flow: string;
  readonly state: string;
  readonly reason: string | null;
  readonly scope: string;
  /** The name of the application, where one is known. */
  readonly client: Both | null;
  readonly service: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  /** It changes whenever something has happened. */
  readonly entries: number;
  readonly source: 'own' | 'imported';
  /** It is pending, and an outcome that was chosen before answers: nobody has to. */
  readonly planned: boolean;
  /** It is pending, and its person, or an outcome in their place, has answered. */
  readonly answered: boolean;
  /** The invented person who has signed in, or whom the start asks for; null for anybody else. */
  readonly person: (Both & { readonly id: string }) | null;
};

export type Message = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

export type Exchange = {
  readonly method: string;
  readonly path: string;
  /** Null: there was no answer. */
  readonly status: number | null;
  /** The code of the error, where the answer is one. */
  readonly code: string | null;
  readonly duration_ms: number;
  readonly request: Message;
  readonly response: Message;
};

export type Act = {
  readonly decision: string | null;
  /** `outcome`: a reserved identity, X-Simulate, or a queued outcome. */
  readonly by: 'person' | 'outcome';
};

/** Something that happened in an attempt: an exchange over HTTP, or an act of a person. */
export type Entry = {
  readonly number: number;
  readonly at: string;
  readonly side: string;
  readonly name: string;
  readonly exchange: Exchange | null;
  readonly act: Act | null;
};

type Both = { readonly ar: string; readonly en: string };

/** Something in an attempt that its application should do in another way. */
export type Finding = {
  readonly rule: string;
  readonly title: Both;
  readonly advice: Both;
  /** The numbers of the entries that show it. */
  readonly entries: readonly number[];
};

export type TimeLine = {
  readonly attempt: Row;
  readonly entries: readonly Entry[];
  /** How many entries of a long attempt were not kept. */
  readonly left_out: number;
  readonly findings: readonly Finding[];
};

/** One name of a person, whole and in parts. */
export type NameRow = {
  readonly full: string;
  readonly first: string;
  readonly second: string | null;
  readonly third: string | null;
  readonly last: string | null;
};

/** A row of the people file, as the control API gives and takes it. */
export type PersonRow = {
  readonly id: string;
  readonly default: boolean;
  readonly about: string;
  readonly national_id: string;
  readonly document_type: string;
  readonly arabic_name: NameRow;
  readonly english_name: NameRow;
  readonly gender: string;
  readonly nationality: { readonly code: string; readonly number: number };
  readonly birth_date: string;
  readonly email: string;
  readonly assurance_level: number;
  readonly preferred_locale: string;
};

/** As `GET /simulator/outcomes` gives it. */
export type Outcome = {
  readonly national_id: string;
  readonly key: string;
  readonly title: Both;
  /** Null: it can't be chosen for a sign-in by browser. */
  readonly redirect: string | null;
  /** Whether it can be told after how many seconds to act. */
  readonly after: boolean;
};

/** As `GET /simulator/next` gives it. */
export type Queued = { readonly outcome: string; readonly after: number | null };

/** As `GET /simulator/clock` gives it. */
export type ClockState = {
  readonly now: string;
  readonly frozen: boolean;
  readonly movable: boolean;
  readonly ahead_ms: number;
  readonly skew_ms: number;
  /** How long an attempt is kept after its expiry; null: none is removed by its age. */
  readonly keeps_ms: number | null;
};

/** As `PUT /simulator/faults` takes it: with exactly one of the four faults. */
export type FaultRule = {
  /** `any` or one of the provider's, or an endpoint of the service's own OpenID Provider. */
  readonly operation: string;
  readonly status?: number;
  readonly record?: string;
  readonly latency_ms?: number | { readonly min: number; readonly max: number };
  readonly answer?: string;
  readonly rate?: number;
  readonly seed?: number;
  readonly times?: number | null;
};

/** As `GET /simulator/faults` gives it. */
export type CountedRule = FaultRule & {
  readonly rate: number;
  readonly seed: number;
  readonly seen: number;
  readonly hits: number;
};

/** As `POST /simulator/session-codes` gives it. */
export type OneTimeCode = {
  readonly code: string;
  /** The page of the phone; null where no other device reaches the instance. */
  readonly phone_url: string | null;
};

/** A webhook as a receiver of the client would get it. */
export type HeardWebhook = {
  readonly id: string;
  readonly client: string;
  readonly type: string;
  readonly data: {
    readonly attempt_id?: string;
    readonly status?: string;
    readonly reason?: string;
    readonly user_id?: number;
  };
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** As `GET /simulator/webhooks` gives it. */
export type HeardWebhooks = {
  /** The `after` of the next call. */
  readonly cursor: string;
  /** The ids of the applications. Instances of before it leave it out. */
  readonly clients?: readonly string[];
  readonly webhooks: readonly HeardWebhook[];
};
