import { object, oneOf, optional, string, type Static } from '@miftah/schema';
import { BROWSER_SECRET_PATTERN } from '../../attempt/browser/browser-secret.ts';

/** The forms of our own pages. No application sends them. */

export const SignInForm = object({
  state: string(),
  person: optional(string()),
  decision: oneOf(['approve', 'refuse', 'not_me']),
});
export type SignInForm = Static<typeof SignInForm>;

export const LaunchForm = object(
  { state: string(), secret: string({ pattern: BROWSER_SECRET_PATTERN }) },
  { title: 'LaunchForm' },
);
export type LaunchForm = Static<typeof LaunchForm>;
