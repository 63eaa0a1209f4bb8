import type { MiftahEnd } from './follow-page.ts';

/** What the page is told of an attempt by phone. Times are text, as JSON has them. */
export interface PageAttempt {
  readonly id: string;
  /** The number to match. */
  readonly random: string;
  /** `randomExpiresAt` of the attempt. */
  readonly expiresAt: string;
  /** Of the sign-in at the back end; `/sign-in`. */
  readonly path?: string;
  /** A language tag; by default that of the place in the page. */
  readonly locale?: string;
  /** In place of the form that finishes: what to do at the end. */
  readonly onEnd?: (end: MiftahEnd) => void;
}

/** The attributes of `<miftah-wait>`. */
export interface WaitAttributes {
  readonly random: string;
  readonly 'expires-at': string;
  readonly 'events-url': string;
  readonly locale?: string;
}

export function attributesOf(attempt: PageAttempt): WaitAttributes {
  const { random, expiresAt, locale } = attempt;
  const own = { random, 'expires-at': expiresAt, 'events-url': addressOf('events', attempt) };
  return locale === undefined ? own : { ...own, locale };
}

function addressOf(step: string, { id, path = '/sign-in' }: PageAttempt): string {
  return `${path}/${step}?attempt=${encodeURIComponent(id)}`;
}

/** Posts a form, whose answer leads on. */
function leave(step: 'cancel' | 'finish', attempt: PageAttempt): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = addressOf(step, attempt);
  document.body.append(form);
  form.submit();
}

/** The attempt that the person has cancelled: that it has ended is told meanwhile, and is no news. */
let cancelled: string | undefined;

export function cancel(attempt: PageAttempt): void {
  cancelled = attempt.id;
  leave('cancel', attempt);
}

/** Who has signed in, only the back end says: it finishes, whatever the end is. */
export function atEnd(end: MiftahEnd, attempt: PageAttempt): void {
  if (attempt.id === cancelled) return;
  if (attempt.onEnd) attempt.onEnd(end);
  else leave('finish', attempt);
}
