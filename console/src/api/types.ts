/** What the control API answers, as the console uses it. */

/** One sign-in of the list. */
export type Row = {
  readonly id: string;
  /** `oidc`: by browser; `mfa`: by phone. */
  readonly flow: string;
  readonly state: string;
  readonly reason: string | null;
  readonly scope: string;
  /** The name of the application, where one is known. */
  readonly client: string | null;
  readonly service: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  /** It changes whenever something has happened. */
  readonly entries: number;
  readonly source: 'own' | 'imported';
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
