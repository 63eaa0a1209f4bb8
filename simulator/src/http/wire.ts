/** Area B on the wire: the provider's own spelling, which nothing but the routes knows. */
import { Type } from 'typebox';
import { LOCALES } from '../engine/locale.ts';
import { NATIONAL_ID_PATTERN } from '../engine/national-id.ts';
import { PUSH_STATUSES } from '../engine/results.ts';

/** Any version, either case: the provider echoes it and gives it no meaning. */
const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
const SERVICE_MAX = 64;
const CODE_PATTERN = String.raw`^\d{1,10}$`;

const Locale = Type.Enum([...LOCALES]);
const Uuid = Type.String({ pattern: UUID_PATTERN });
const NationalId = Type.String({ pattern: NATIONAL_ID_PATTERN });

// Members that are not named here are let through and not looked at, in queries and in bodies.

export const SessionQuery = Type.Object({ locale: Locale, requestId: Uuid });

export const SessionBody = Type.Object({
  id: Type.Null(),
  url: Type.String(),
  hashedState: Type.String(),
  requestId: Type.String(),
});

/** `local` is the provider's spelling. */
export const PushQuery = Type.Object({ local: Locale, requestId: Uuid });

export const PushBody = Type.Object({
  nationalId: NationalId,
  service: Type.String({ minLength: 1, maxLength: SERVICE_MAX }),
});

export const PushAnswer = Type.Object({ transId: Type.String(), random: Type.String() });

export const StatusBody = Type.Object({
  nationalId: NationalId,
  transId: Uuid,
  random: Type.String({ pattern: CODE_PATTERN }),
});

export const StatusAnswer = Type.Object({ status: Type.Enum([...PUSH_STATUSES]) });

const STATE_MAX = 1024;
const TOKEN_MAX = 8192;

export const ExchangeBody = Type.Object({
  state: Type.String({ minLength: 1, maxLength: STATE_MAX }),
});

export const ExchangeAnswer = Type.Object({ state: Type.String(), token: Type.String() });

export const TokenBody = Type.Object({
  id_token: Type.String({ minLength: 1, maxLength: TOKEN_MAX }),
});

/** Bare, in no object. */
export const Valid = Type.Boolean();

export const KeysAnswer = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      e: Type.String(),
      use: Type.String(),
      kid: Type.String(),
      alg: Type.String(),
      n: Type.String(),
    }),
  ),
});
