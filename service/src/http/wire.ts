import { DEVICE_NAME_MAX_LENGTH } from '../domain/api-token.ts';
import { BROWSER_SECRET_PATTERN } from '../domain/browser-secret.ts';
import { FLOWS } from '../domain/flow.ts';
import { LOCALE_PATTERN } from '../domain/locale.ts';
import { NATIONAL_ID_PATTERN } from '../domain/national-id.ts';
import { UUID_PATTERN } from '../domain/uuid.ts';
import {
  boolean,
  integer,
  list,
  nothing,
  object,
  oneOf,
  openObject,
  optional,
  reference,
  string,
  textOrNull,
  union,
  type Schema,
  type Static,
} from '@miftah/schema';
import { EXAMPLE } from './examples.ts';

/**
 * The public contract of area A: one schema is the validation, the OpenAPI document and the type.
 * Names and shapes are the interface document's; `present.ts` translates to and from our own.
 */

const timestamp = (description: string) =>
  string({ format: 'date-time', description, examples: ['2026-01-31T09:05:00+00:00'] });

const Locale = string({
  pattern: LOCALE_PATTERN,
  description: 'A language tag whose language is `ar` or `en`.',
  examples: ['ar'],
});

const oidcStart = { locale: Locale };
const mfaStart = {
  national_id: string({
    pattern: NATIONAL_ID_PATTERN,
    description: 'Ten digits, the first not zero. Arabic-Indic and Persian digits are accepted.',
    examples: ['1100000001'],
  }),
  locale: Locale,
};
const returnTo = {
  return_address: optional(
    string({ description: "One of the client's own; its first where none is named." }),
  ),
};

const MfaStartBody = object(
  { ...mfaStart, ...returnTo },
  // Without the return address, which the reader would put in as an empty text.
  { title: 'MfaStart', examples: [{ national_id: '1100000001', locale: 'en' }] },
);
const OidcStartBody = object(
  { ...oidcStart, ...returnTo },
  { title: 'OidcStart', examples: [{ locale: 'en' }] },
);

/** The flow is chosen by the body. The phone flow stands first: it is told apart by more members. */
export const StartBody = union(MfaStartBody, OidcStartBody);
export type StartBody = Static<typeof MfaStartBody> | Static<typeof OidcStartBody>;

const AttemptId = string({
  format: 'uuid',
  description: 'Identifies the attempt.',
  examples: [EXAMPLE.attemptId],
});

/** The id in a path. Any text is looked for: what can't be an id is one that nobody has. */
export const AttemptPath = object({
  attempt_id: string({
    description: 'The `attempt_id` of the start.',
    examples: [EXAMPLE.attemptId],
  }),
});

const AttemptToken = string({
  minLength: 64,
  maxLength: 64,
  description: 'Proves that the caller started the attempt. Keep it in your session.',
});

const started = { attempt_id: AttemptId, attempt_token: AttemptToken };
const attemptExpiry = timestamp('Five minutes after the start.');

export const OidcStarted = object(
  {
    ...started,
    authorization_url: string({ format: 'uri', description: 'Send the browser here.' }),
    expires_at: attemptExpiry,
  },
  { title: 'OidcStarted' },
);

export const MfaStarted = object(
  {
    ...started,
    random: string({ pattern: '^[0-9]{1,12}$', description: 'Show it: the phone asks for it.' }),
    expires_at: attemptExpiry,
  },
  { title: 'MfaStarted' },
);

const userMembers = {
  id: integer(),
  national_id: string(),
  name: string({ description: 'In the preferred locale.' }),
  arabic_name: string(),
  english_name: string(),
  preferred_locale: string(),
  nationality: string({ description: 'ISO 3166-1 alpha-2.' }),
  gender: string({ description: 'One letter: M, F, or X where the provider does not say.' }),
  assurance_level: integer(),
  last_auth_method: oneOf(FLOWS),
};

export const User = object(userMembers, { $id: 'User', title: 'User' });
export type User = Static<typeof User>;

const USER = reference(User);

/** Only what `GET /user` answers: everywhere else a user has ten members. */
export const TokenUser = object(
  {
    ...userMembers,
    client_id: string({ description: 'The application that the token was issued to.' }),
  },
  { title: 'TokenUser' },
);
export type TokenUser = Static<typeof TokenUser>;
const UserOrNull = union(USER, nothing());

const STATUSES = ['pending', 'authenticated', 'rejected', 'expired', 'failed'] as const;
const PROVIDER_STATUSES = ['PENDING', 'COMPLETED', 'REJECTED', 'EXPIRED', 'FAILED'] as const;

export const AttemptStatus = object(
  {
    attempt_id: AttemptId,
    status: oneOf(STATUSES),
    provider_status: oneOf(PROVIDER_STATUSES),
    message: textOrNull({ description: 'Why the attempt ended, in its locale.' }),
    token_ready: boolean(),
    user: UserOrNull,
  },
  { title: 'AttemptStatus' },
);

export const CallbackBody = object({
  state: string({ description: 'The attempt_id.', examples: [EXAMPLE.attemptId] }),
  auto_complete: boolean({
    description: 'False leaves the attempt pending.',
    examples: [true],
  }),
});
export type CallbackBody = Static<typeof CallbackBody>;

export const CallbackCompleted = object({
  success: boolean(),
  message: string(),
  attempt_id: AttemptId,
  redirect_to: string({ format: 'uri' }),
});

export const CompleteMfaBody = object({
  attempt_id: string({
    description: 'The `attempt_id` of a phone sign-in.',
    examples: [EXAMPLE.phoneAttemptId],
  }),
});
export type CompleteMfaBody = Static<typeof CompleteMfaBody>;

export const MfaCompleted = object({
  success: boolean(),
  message: string(),
  attempt_id: AttemptId,
});

export const TokenBody = object(
  {
    attempt_token: string({
      description: 'The `attempt_token` of the start.',
      examples: [EXAMPLE.attemptToken],
    }),
    device_name: optional(
      string({
        maxLength: DEVICE_NAME_MAX_LENGTH,
        description: 'A label for the device.',
        examples: ['My phone'],
      }),
    ),
    completion_code: optional(
      string({ description: 'From the address that the browser came back to.' }),
    ),
  },
  { examples: [{ attempt_token: EXAMPLE.attemptToken, device_name: 'My phone' }] },
);
export type TokenBody = Static<typeof TokenBody>;

export const ApiToken = object(
  {
    token: string({ description: 'Send it as `Authorization: Bearer`.' }),
    token_type: oneOf(['Bearer']),
    expires_at: timestamp('When the token ends.'),
    user: USER,
  },
  { title: 'ApiToken' },
);

const Device = object(
  {
    id: string({ format: 'uuid' }),
    device_name: textOrNull(),
    created_at: timestamp('When the token was issued.'),
    expires_at: timestamp('When the token ends.'),
    current: boolean({ description: 'Whether this is the token of this request.' }),
  },
  { title: 'Device' },
);

export const MOST_DEVICES = 100;

export const DeviceQuery = openObject({
  limit: optional(
    string({
      pattern: '^([1-9][0-9]?|100)$',
      description: `How many at most: 1 to ${MOST_DEVICES}, which is the default.`,
    }),
  ),
  after: optional(
    string({ pattern: UUID_PATTERN, description: '`next` of the page before this one.' }),
  ),
});
export type DeviceQuery = Static<typeof DeviceQuery>;

export const Devices = object(
  {
    data: list(Device),
    next: textOrNull({ description: 'Where the next page begins, for `after`; null: no more.' }),
  },
  { title: 'Devices' },
);

/** RFC 7662 section 2.2. An inactive token has no other member. */
export const Introspection = object(
  {
    active: boolean(),
    client_id: optional(string()),
    token_type: optional(string()),
    sub: optional(string({ description: 'The id of the user.' })),
    jti: optional(string({ description: 'The id of the token, as in the device list.' })),
    iat: optional(integer()),
    exp: optional(integer()),
  },
  { title: 'Introspection' },
);

export const IntrospectBody = object({ token: string(), token_type_hint: optional(string()) });
export type IntrospectBody = Static<typeof IntrospectBody>;

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

/** The provider's message: more members than these may come, and mean nothing to us. */
export const PushMessageBody = openObject({
  token: string({ maxLength: 16 * 1024 }),
  transId: string(),
  requestId: string(),
});
export type PushMessageBody = Static<typeof PushMessageBody>;

/** Success answers that carry data are an object with the single key `data`. */
export const dataOf = (schema: Schema) => object({ data: schema });

export const NoContent = nothing({ description: 'Done; there is nothing to say.' });
