/** What the control API answers, as the console uses it. */

export type Row = {
  readonly id: string;
  readonly flow: string;
  readonly state: string;
  readonly reason: string | null;
  readonly scope: string;
  readonly created_at: string;
  readonly expires_at: string;
};
