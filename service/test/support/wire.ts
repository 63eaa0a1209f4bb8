/** The answers of the API, as an application reads them. */

export interface Started {
  readonly attempt_id: string;
  readonly attempt_token: string;
  readonly authorization_url?: string;
  readonly random?: string;
  readonly expires_at: string;
}

export interface Issued {
  readonly token: string;
  readonly token_type: string;
  readonly expires_at: string;
  readonly user: WireUser;
}

export interface WireUser {
  readonly id: number;
  readonly national_id: string;
  readonly name: string;
  readonly english_name: string;
  readonly last_auth_method: string;
}
