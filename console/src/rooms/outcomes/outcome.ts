import type { Outcome } from '@miftah/contract/control';

/** The text of `X-Simulate`. */
export function headerOf({ key, after }: Outcome, seconds: number | null): string {
  return seconds === null || !after ? key : `${key};after=${seconds}`;
}

/** What `POST /simulator/next` takes. */
export function nextOf({ key, after }: Outcome, seconds: number | null): object {
  return seconds === null || !after ? { outcome: key } : { outcome: key, after: seconds };
}
