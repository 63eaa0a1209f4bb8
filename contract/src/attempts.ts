import {
  boolean,
  digits,
  object,
  oneOf,
  openObject,
  optional,
  string,
  textOrNull,
  union,
  type Static,
} from '@miftah/schema';
import { AttemptId, timestamp } from './parts.ts';
import { PLACEHOLDER } from './placeholders.ts';
import { USER_OR_NULL } from './user.ts';
import { NATIONAL_ID_PATTERN } from './typed-digits.ts';
import { ATTEMPT_TOKEN_LENGTH, LOCALE_PATTERN, LONGEST_WAIT_SECONDS } from './values.ts';

/** Start, status and completion of an attempt. */

const Locale = string({
  pattern: LOCALE_PATTERN,
  description: 'A language tag whose language is `ar` or `en`.',
  examples: ['ar'],
});

const oidcStart = { locale: Locale };
const mfaStart = {
  national_id: string({
    pattern: NATIONAL_ID_PATTERN,
    description:
      'Ten digits, the first not zero. Arabic-Indic, Persian and full-width digits are accepted, and ' +
      'so are spaces, marks that are not seen, and hyphens between digits.',
    examples: ['1000001101'],
  }),
  locale: Locale,
};
const returnTo = {
  return_address: optional(
    string({
      description:
        "One of the client's own; its first where none is named. A public client may have one with a " +
        'scheme of its own, and may name any port of a loopback address.',
    }),
  ),
};

const MfaStart = object(
  { ...mfaStart, ...returnTo },
  // Without `return_address`, which the reader would send as an empty text.
  { title: 'MfaStart', examples: [{ national_id: '1000001101', locale: 'en' }] },
);
const OidcStart = object(
  { ...oidcStart, ...returnTo },
  { title: 'OidcStart', examples: [{ locale: 'en' }] },
);

/**
 * The body determines the flow. The phone flow comes first, because it has more members to
 * distinguish it.
 */
export const StartRequest = union(MfaStart, OidcStart);
export type StartRequest = Static<typeof StartRequest>;

const started = {
  attempt_id: AttemptId,
  attempt_token: string({
    minLength: ATTEMPT_TOKEN_LENGTH,
    maxLength: ATTEMPT_TOKEN_LENGTH,
    description: 'Proves that the caller started the attempt. Keep it in your session.',
  }),
};
const STARTED_EXAMPLE = {
  attempt_id: PLACEHOLDER.attemptId,
  attempt_token: PLACEHOLDER.attemptToken,
  expires_at: '2026-01-31T09:05:00+00:00',
};
const attemptExpiry = timestamp('Five minutes after the start.');

const OidcStarted = object(
  {
    ...started,
    authorization_url: string({ format: 'uri', description: 'Send the browser here.' }),
    expires_at: attemptExpiry,
  },
  {
    title: 'OidcStarted',
    examples: [
      {
        ...STARTED_EXAMPLE,
        authorization_url: `http://127.0.0.1:3000/api/v1/callback?state=${PLACEHOLDER.attemptId}`,
      },
    ],
  },
);
export type OidcStarted = Static<typeof OidcStarted>;

const MfaStarted = object(
  {
    ...started,
    random: string({ pattern: '^[0-9]{1,12}$', description: 'Show it: the phone asks for it.' }),
    random_expires_at: timestamp(
      'The end of the push: nobody can answer it from then on. With the attempt, or before it.',
    ),
    expires_at: attemptExpiry,
  },
  {
    title: 'MfaStarted',
    examples: [
      {
        ...STARTED_EXAMPLE,
        attempt_id: PLACEHOLDER.phoneAttemptId,
        random: '042917',
        random_expires_at: '2026-01-31T09:03:20+00:00',
      },
    ],
  },
);
export type MfaStarted = Static<typeof MfaStarted>;

/** In the order of `StartRequest`, because the reader shows the first of each beside the other. */
export const Started = union(MfaStarted, OidcStarted);
export type Started = OidcStarted | MfaStarted;

export const StatusQuery = openObject({
  wait: optional(
    digits(
      { minimum: 0, maximum: LONGEST_WAIT_SECONDS },
      {
        pattern: '^([0-9]|1[0-9]|2[0-5])$',
        description:
          'Seconds: the answer comes when the attempt is no longer pending, at the latest after ' +
          'this time. `Prefer: wait=25` does the same.',
      },
    ),
  ),
});
export type StatusQuery = Static<typeof StatusQuery>;

const STATUSES = ['pending', 'authenticated', 'rejected', 'expired', 'failed'] as const;
const PROVIDER_STATUSES = ['PENDING', 'COMPLETED', 'REJECTED', 'EXPIRED', 'FAILED'] as const;

/** The six members of the interface document. Members may be added, and none is removed. */
export const AttemptStatus = object(
  {
    attempt_id: AttemptId,
    status: oneOf(STATUSES),
    provider_status: oneOf(PROVIDER_STATUSES),
    message: textOrNull({ description: 'Why the attempt ended, in its locale.' }),
    token_ready: boolean(),
    user: USER_OR_NULL,
  },
  { title: 'AttemptStatus' },
);
export type AttemptStatus = Static<typeof AttemptStatus>;

/** What the address of the page of a sign-in has. Whatever else is there is left alone. */
export const SignInQuery = openObject({
  state: string({
    description: 'The attempt_id, as in `authorization_url`; or the state of the provider.',
    examples: [PLACEHOLDER.attemptId],
  }),
  locale: optional(string({ description: 'The language of the page: `ar` or `en`.' })),
});

export const CallbackRequest = object(
  {
    state: string({ description: 'The attempt_id.', examples: [PLACEHOLDER.attemptId] }),
    auto_complete: boolean({
      description: 'False leaves the attempt pending.',
      examples: [true],
    }),
  },
  { title: 'CallbackRequest' },
);
export type CallbackRequest = Static<typeof CallbackRequest>;

export const CallbackCompleted = object(
  {
    success: boolean(),
    message: string(),
    attempt_id: AttemptId,
    redirect_to: string({ format: 'uri' }),
  },
  { title: 'CallbackCompleted', description: 'How it stands, and where the browser goes next.' },
);
export type CallbackCompleted = Static<typeof CallbackCompleted>;

export const CompleteMfaRequest = object(
  {
    attempt_id: string({
      description: 'The `attempt_id` of a phone sign-in.',
      examples: [PLACEHOLDER.phoneAttemptId],
    }),
  },
  { title: 'CompleteMfaRequest' },
);
export type CompleteMfaRequest = Static<typeof CompleteMfaRequest>;

export const MfaCompleted = object(
  { success: boolean(), message: string(), attempt_id: AttemptId },
  { title: 'MfaCompleted', description: 'The attempt is authenticated.' },
);
export type MfaCompleted = Static<typeof MfaCompleted>;
