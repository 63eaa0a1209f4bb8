import { Type, type Static } from 'typebox';
import { DEVICE_NAME_MAX_LENGTH } from '../domain/api-token.ts';
import { LOCALE_PATTERN } from '../domain/locale.ts';
import { NATIONAL_ID_PATTERN } from '../domain/national-id.ts';

/**
 * The public contract of area A: one schema is the validation, the OpenAPI document and the type.
 * Names and shapes are the interface document's; `present.ts` translates to and from our own.
 */

const closed = { additionalProperties: false } as const;
const timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-01-31T09:05:00+00:00'] });
const nullable = (schema: { type: string }) => ({ ...schema, type: [schema.type, 'null'] });

const Locale = Type.String({
  pattern: LOCALE_PATTERN,
  description: 'A language tag whose language is `ar` or `en`.',
  examples: ['ar'],
});

export const MfaStartBody = Type.Object(
  {
    national_id: Type.String({
      pattern: NATIONAL_ID_PATTERN,
      description: 'Ten digits, the first not zero. Arabic-Indic and Persian digits are accepted.',
      examples: ['1100000001'],
    }),
    locale: Locale,
  },
  { ...closed, title: 'MfaStart' },
);

const ReturnAddress = Type.Optional(
  Type.String({ description: "One of the client's own; its first where none is named." }),
);

export const LiveMfaStartBody = Type.Object(
  { ...MfaStartBody.properties, return_address: ReturnAddress },
  { ...closed, title: 'LiveMfaStart' },
);

export const OidcStartBody = Type.Object({ locale: Locale }, { ...closed, title: 'OidcStart' });

/** The flow is chosen by the body. The phone flow stands first: it is told apart by more members. */
export const StartBody = Type.Union([MfaStartBody, OidcStartBody]);
export const LiveOidcStartBody = Type.Object(
  { locale: Locale, return_address: ReturnAddress },
  { ...closed, title: 'LiveOidcStart' },
);
export const LiveStartBody = Type.Union([LiveMfaStartBody, LiveOidcStartBody]);
export type StartBody = Static<typeof LiveMfaStartBody> | Static<typeof LiveOidcStartBody>;

const AttemptId = Type.String({ format: 'uuid', description: 'Identifies the attempt.' });
const AttemptToken = Type.String({
  minLength: 64,
  maxLength: 64,
  description: 'Proves that the caller started the attempt. Keep it in your session.',
});

const started = { attempt_id: AttemptId, attempt_token: AttemptToken };
const attemptExpiry = timestamp('Five minutes after the start.');

export const OidcStarted = Type.Object(
  {
    ...started,
    authorization_url: Type.String({ format: 'uri', description: 'Send the browser here.' }),
    expires_at: attemptExpiry,
  },
  { ...closed, title: 'OidcStarted' },
);

export const MfaStarted = Type.Object(
  {
    ...started,
    random: Type.String({
      pattern: '^[0-9]{1,12}$',
      description: 'Show it: the phone asks for it.',
    }),
    expires_at: attemptExpiry,
  },
  { ...closed, title: 'MfaStarted' },
);

export const User = Type.Object(
  {
    id: Type.Integer(),
    national_id: Type.String(),
    name: Type.String({ description: 'In the preferred locale.' }),
    arabic_name: Type.String(),
    english_name: Type.String(),
    preferred_locale: Type.String(),
    nationality: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
    gender: Type.String({ description: 'One letter.' }),
    assurance_level: Type.Integer(),
    last_auth_method: Type.String({ enum: ['oidc', 'mfa'] }),
  },
  { ...closed, $id: 'User', title: 'User' },
);
export type User = Static<typeof User>;

export const USER = Type.Unsafe<User>({ $ref: 'User#' });
const UserOrNull = Type.Union([USER, Type.Null()]);

export const STATUSES = ['pending', 'authenticated', 'rejected', 'expired', 'failed'] as const;
export const PROVIDER_STATUSES = ['PENDING', 'COMPLETED', 'REJECTED', 'EXPIRED', 'FAILED'] as const;

export const AttemptStatus = Type.Object(
  {
    attempt_id: AttemptId,
    status: Type.String({ enum: [...STATUSES] }),
    provider_status: Type.String({ enum: [...PROVIDER_STATUSES] }),
    message: nullable(Type.String({ description: 'Why the attempt ended, in its locale.' })),
    token_ready: Type.Boolean(),
    user: UserOrNull,
  },
  { ...closed, title: 'AttemptStatus' },
);

export const CallbackBody = Type.Object(
  {
    state: Type.String({ description: 'The attempt_id.' }),
    auto_complete: Type.Boolean({ description: 'False leaves the attempt pending.' }),
  },
  closed,
);
export type CallbackBody = Static<typeof CallbackBody>;

export const CallbackCompleted = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String(),
    attempt_id: AttemptId,
    redirect_to: Type.String({ format: 'uri' }),
  },
  closed,
);

export const CompleteMfaBody = Type.Object({ attempt_id: Type.String() }, closed);
export type CompleteMfaBody = Static<typeof CompleteMfaBody>;

export const MfaCompleted = Type.Object(
  { success: Type.Boolean(), message: Type.String(), attempt_id: AttemptId },
  closed,
);

export const TokenBody = Type.Object(
  {
    attempt_token: Type.String(),
    device_name: Type.Optional(
      Type.String({ maxLength: DEVICE_NAME_MAX_LENGTH, description: 'A label for the device.' }),
    ),
    completion_code: Type.Optional(
      Type.String({ description: 'From the address that the browser came back to.' }),
    ),
  },
  closed,
);
export type TokenBody = Static<typeof TokenBody>;

export const ApiToken = Type.Object(
  {
    token: Type.String({ description: 'Send it as `Authorization: Bearer`.' }),
    token_type: Type.String({ enum: ['Bearer'] }),
    expires_at: timestamp('When the token ends.'),
    user: USER,
  },
  { ...closed, title: 'ApiToken' },
);

export const Device = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    device_name: nullable(Type.String()),
    created_at: timestamp('When the token was issued.'),
    expires_at: timestamp('When the token ends.'),
    current: Type.Boolean({ description: 'Whether this is the token of this request.' }),
  },
  { ...closed, title: 'Device' },
);

/** RFC 7662 section 2.2. An inactive token has no other member. */
export const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    client_id: Type.Optional(Type.String()),
    token_type: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String({ description: 'The id of the user.' })),
    jti: Type.Optional(Type.String({ description: 'The id of the token, as in the device list.' })),
    iat: Type.Optional(Type.Integer()),
    exp: Type.Optional(Type.Integer()),
  },
  { ...closed, title: 'Introspection' },
);

export const IntrospectBody = Type.Object(
  { token: Type.String(), token_type_hint: Type.Optional(Type.String()) },
  closed,
);
export type IntrospectBody = Static<typeof IntrospectBody>;

export const SignInForm = Type.Object(
  {
    state: Type.String(),
    person: Type.Optional(Type.String()),
    decision: Type.Enum(['approve', 'refuse', 'not_me']),
  },
  closed,
);
export type SignInForm = Static<typeof SignInForm>;

/** RFC 9457, with the members that clients of Laravel-made services read. */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri-reference' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String(),
    message: Type.String(),
    success: Type.Optional(Type.Boolean({ description: 'On /callback and /complete-mfa: false.' })),
    attempt_id: Type.Optional(Type.String()),
    errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
    violations: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), code: Type.String() }, closed)),
    ),
    'violated-policies': Type.Optional(Type.Array(Type.String())),
    reference: Type.Optional(Type.Integer({ description: "The provider's number of the call." })),
    request_id: Type.String(),
  },
  { ...closed, $id: 'Problem', title: 'Problem' },
);

export const PROBLEM = Type.Unsafe<Static<typeof Problem>>({ $ref: 'Problem#' });

export const LaunchForm = Type.Object({ state: Type.String() }, closed);
export type LaunchForm = Static<typeof LaunchForm>;

/** The provider's message: more members than these may come, and mean nothing to us. */
export const PushMessageBody = Type.Object({
  token: Type.String({ maxLength: 16 * 1024 }),
  transId: Type.String(),
  requestId: Type.String(),
});
export type PushMessageBody = Static<typeof PushMessageBody>;

/** Success answers that carry data are an object with the single key `data`. */
export const dataOf = (schema: object) =>
  Type.Object({ data: Type.Unsafe<unknown>(schema) }, closed);

export const NoContent = Type.Null({ description: 'Done; there is nothing to say.' });
