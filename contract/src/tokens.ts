import {
  boolean,
  digits,
  integer,
  list,
  object,
  oneOf,
  openObject,
  optional,
  string,
  textOrNull,
  type Static,
} from '@miftah/schema';
import { timestamp } from './parts.ts';
import { PLACEHOLDER } from './placeholders.ts';
import { USER } from './user.ts';
import { UUID_PATTERN } from './uuid.ts';
import { DEVICE_NAME_MAX_LENGTH, MOST_DEVICES } from './values.ts';

/** The exchange of an attempt for an API token, and the operations that need the token. */

export const TokenRequest = object(
  {
    attempt_token: string({
      description: 'The `attempt_token` of the start.',
      examples: [PLACEHOLDER.attemptToken],
    }),
    device_name: optional(
      string({
        maxLength: DEVICE_NAME_MAX_LENGTH,
        description: 'A label for the device: Unicode without the character U+0000.',
        examples: ['My phone'],
      }),
    ),
    completion_code: optional(
      string({ description: 'From the address that the browser came back to.' }),
    ),
  },
  {
    title: 'TokenRequest',
    examples: [{ attempt_token: PLACEHOLDER.attemptToken, device_name: 'My phone' }],
  },
);
export type TokenRequest = Static<typeof TokenRequest>;

export const ApiToken = object(
  {
    token: string({ description: 'Send it as `Authorization: Bearer`.' }),
    token_type: oneOf(['Bearer']),
    expires_at: timestamp('When the token ends.'),
    user: USER,
  },
  { title: 'ApiToken' },
);
export type ApiToken = Static<typeof ApiToken>;

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
export type Device = Static<typeof Device>;

export const DevicesQuery = openObject({
  limit: optional(
    digits(
      { minimum: 1, maximum: MOST_DEVICES },
      { pattern: '^([1-9][0-9]?|100)$', description: `How many; by default ${MOST_DEVICES}.` },
    ),
  ),
  after: optional(
    string({ pattern: UUID_PATTERN, description: '`next` of the page before this one.' }),
  ),
});
export type DevicesQuery = Static<typeof DevicesQuery>;

export const Devices = object(
  {
    data: list(Device),
    next: textOrNull({ description: 'Where the next page begins, for `after`; null: no more.' }),
  },
  { title: 'Devices', description: 'One page of the active tokens, one per device.' },
);
export type Devices = Static<typeof Devices>;

export const IntrospectionRequest = object(
  { token: string(), token_type_hint: optional(string()) },
  { title: 'IntrospectionRequest' },
);
export type IntrospectionRequest = Static<typeof IntrospectionRequest>;

/** RFC 7662 section 2.2. An inactive token has no other member. */
export const Introspection = object(
  {
    active: boolean(),
    client_id: optional(string()),
    token_type: optional(oneOf(['Bearer'])),
    sub: optional(string({ description: 'The id of the user.' })),
    jti: optional(string({ description: 'The id of the token, as in the device list.' })),
    iat: optional(integer()),
    exp: optional(integer()),
  },
  { title: 'Introspection', description: 'Whether the token is active, and whose it is.' },
);
export type Introspection = Static<typeof Introspection>;
