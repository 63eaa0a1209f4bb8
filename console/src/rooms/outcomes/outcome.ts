/** As `GET /simulator/outcomes` gives it. */
export type Outcome = {
  readonly national_id: string;
  readonly key: string;
  readonly title: { readonly ar: string; readonly en: string };
  /** Null: it can't be chosen for a sign-in by browser. */
  readonly redirect: string | null;
  /** Whether it can be told after how many seconds to act. */
  readonly after: boolean;
};

/** As `GET /simulator/next` gives it. */
export type Queued = { readonly outcome: string; readonly after: number | null };

/** The text of `X-Simulate`. */
export function headerOf({ key, after }: Outcome, seconds: number | null): string {
  return seconds === null || !after ? key : `${key};after=${seconds}`;
}

/** What `POST /simulator/next` takes. */
export function nextOf({ key, after }: Outcome, seconds: number | null): object {
  return seconds === null || !after ? { outcome: key } : { outcome: key, after: seconds };
}
