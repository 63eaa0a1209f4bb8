/** What an application does in a sign-in. Each generated client does it in its own spelling. */
export interface Calls {
  /** With a person: by phone. Without: by browser. */
  start(nationalId: string | null): Promise<Started>;
  /** The status as soon as the attempt is no longer pending. */
  statusAfterWait(started: Started): Promise<Status>;
  /** Approves in place of the person, by the simulator's control API. */
  approve(started: Started): Promise<void>;
  redeem(started: Started, completionCode: string | null): Promise<Redeemed>;
  /** The name and the application of the token's user. */
  userOf(token: string): Promise<{ readonly name: string; readonly client_id: string }>;
  /** How many devices the person has, of at most `limit`. */
  countDevices(token: string, limit: number): Promise<number>;
  signOut(token: string): Promise<void>;
}

export interface Started {
  readonly attempt_id: string;
  readonly attempt_token: string;
  /** Of a sign-in by browser. */
  readonly authorization_url?: string;
}

export type Status = 'pending' | 'authenticated' | 'rejected' | 'expired' | 'failed';

interface Redeemed {
  readonly token: string;
  readonly expires_at: string;
}

/** What a client's module exports. The key is the one of the application. */
export type CallsOf = (origin: string, key: string) => Calls;
