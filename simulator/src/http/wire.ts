/** Requests and answers of area B, in the provider's spelling; only the routes use it. */
import { boolean, list, nothing, oneOf, openObject, optional, string } from '@miftah/schema';
import { DEFAULT_LOCALE, LOCALES } from '../engine/locale.ts';
import { NATIONAL_ID_PATTERN } from '../engine/people/national-id.ts';
import { PUSH_STATUSES } from '../engine/results.ts';

/** Any version, upper or lower case. */
const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
const REQUEST_ID_MAX = 128;
const SERVICE_MAX = 64;
const CODE_PATTERN = String.raw`^\d{1,10}$`;

const Locale = optional(
  oneOf(LOCALES, { description: `Of the page and the claims; \`${DEFAULT_LOCALE}\` without it.` }),
);
const Uuid = string({ pattern: UUID_PATTERN });
const NationalId = string({ pattern: NATIONAL_ID_PATTERN });

/**
 * Chosen by the caller: it is sent back and has no other meaning here. UUIDs and other forms are in
 * use.
 */
export const RequestId = string({ minLength: 1, maxLength: REQUEST_ID_MAX });

// Members that are not named here are accepted and ignored, in queries and in bodies.

export const SessionQuery = openObject({ locale: Locale, requestId: RequestId });

export const SessionBody = openObject(
  {
    id: nothing(),
    url: string(),
    hashedState: string(),
    requestId: string(),
  },
  { description: 'The session, and where its sign-in page is.' },
);

/** `local`, not `locale`: the provider spells it so. */
export const PushQuery = openObject({ local: Locale, requestId: RequestId });

export const PushBody = openObject({
  nationalId: NationalId,
  service: string({ minLength: 1, maxLength: SERVICE_MAX }),
});

export const PushAnswer = openObject(
  { transId: string(), random: string() },
  { description: 'The push, and the number that the person has to pick.' },
);

export const StatusBody = openObject({
  nationalId: NationalId,
  transId: Uuid,
  random: string({ pattern: CODE_PATTERN }),
});

export const StatusAnswer = openObject(
  { status: oneOf(PUSH_STATUSES) },
  { description: 'What has become of the push.' },
);

const STATE_MAX = 1024;
const TOKEN_MAX = 8192;

export const ExchangeBody = openObject({
  state: string({ minLength: 1, maxLength: STATE_MAX }),
});

export const ExchangeAnswer = openObject(
  { state: string(), token: string() },
  { description: 'The token of the person who signed in.' },
);

export const TokenBody = openObject({
  id_token: string({ minLength: 1, maxLength: TOKEN_MAX }),
});

/** The whole answer is this value, not an object. */
export const Valid = boolean({ description: 'Whether it is.' });

export const KeysAnswer = openObject(
  {
    keys: list(
      openObject({
        kty: string(),
        e: string(),
        use: string(),
        kid: string(),
        alg: string(),
        n: string(),
      }),
    ),
  },
  { description: 'The public keys, as a JSON Web Key Set.' },
);
