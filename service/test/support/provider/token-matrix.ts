import { AUDIENCE, NATIONAL_ID } from './provider-under-test.ts';
import { BINDING, IDENTITY, ISSUANCE, TIMES } from './matrix/claims.ts';
import { READINGS, SIGNATURES } from './matrix/forms.ts';
import { ALGORITHMS, HEADERS } from './matrix/headers.ts';
import { PHONE } from './matrix/phone.ts';
import type { Negative, TokenCase } from './matrix/table.ts';
import {
  claimsOf,
  CREATED_S,
  NOW_S,
  thinClaims,
  type Changes,
  type Forge,
  type Kind,
} from './token-forge.ts';

export const NEGATIVES: readonly Negative[] = [
  ...ISSUANCE,
  ...TIMES,
  ...BINDING,
  ...IDENTITY,
  ...ALGORITHMS,
  ...HEADERS,
  ...SIGNATURES,
  ...READINGS,
  ...PHONE,
];

function accepted(kind: Kind, name: string, changes: Changes, head: Changes = {}): TokenCase {
  const make = (forge: Forge) => forge.sign(claimsOf(kind, changes), head);
  return { name: `${kind}: ${name}`, kind, make };
}

export const POSITIVES: readonly TokenCase[] = [
  accepted('redirect', 'as the provider makes it', {}),
  accepted('redirect', 'aud in an array of one', { aud: [AUDIENCE] }),
  accepted('redirect', 'azp that is us', { azp: AUDIENCE }),
  accepted('redirect', 'without nbf', { nbf: undefined }),
  accepted('redirect', 'no typ', {}, { typ: undefined }),
  accepted('redirect', 'typ in small letters', {}, { typ: 'jwt' }),
  accepted('redirect', 'exp 59 seconds ago', { exp: NOW_S - 59 }),
  accepted('redirect', 'nbf in 59 seconds', { nbf: NOW_S + 59 }),
  accepted('redirect', 'iat in 59 seconds', { iat: NOW_S + 59 }),
  accepted('redirect', 'iat 59 seconds before the attempt', { iat: CREATED_S - 59 }),
  accepted('redirect', 'auth_time during the attempt', { auth_time: CREATED_S + 5 }),
  accepted('redirect', 'auth_time in 59 seconds', { auth_time: NOW_S + 59 }),
  accepted('redirect', 'auth_time 59 seconds before the attempt', { auth_time: CREATED_S - 59 }),
  accepted('redirect', 'sub that is a name of the provider’s own', { sub: 'u-81f2' }),
  accepted('redirect', 'only sub says who', { nin: undefined }),
  accepted('redirect', 'without a gender', { gender: undefined }),
  accepted('redirect', 'nin that is a number', { nin: Number(NATIONAL_ID) }),
  accepted('redirect', 'claims of other documents, empty', { iqamaNumber: '', visaNumber: null }),
  accepted('phone', 'as the provider makes it', {}),
  accepted('phone', 'aud in an array of one', { aud: [AUDIENCE] }),
  accepted('phone', 'azp that is us', { azp: AUDIENCE }),
  accepted('phone', 'without nbf', { nbf: undefined }),
  { name: 'phone: without names', kind: 'phone', make: (forge) => forge.sign(thinClaims()) },
  {
    name: 'phone: without names, with its document',
    kind: 'phone',
    make: (forge) => forge.sign(thinClaims({ nin: NATIONAL_ID })),
  },
  accepted('phone', 'without ServiceName', { ServiceName: undefined }),
  accepted('phone', 'PersonId and nin that are numbers', {
    nin: Number(NATIONAL_ID),
    PersonId: Number(NATIONAL_ID),
  }),
  {
    name: 'phone: without names and ServiceName, PersonId a number',
    kind: 'phone',
    make: (forge) =>
      forge.sign(thinClaims({ ServiceName: undefined, PersonId: Number(NATIONAL_ID) })),
  },
  accepted('phone', 'sub and PersonId of the provider’s own', { sub: 'u-1', PersonId: 'p-1' }),
  accepted('phone', 'exp 59 seconds ago', { exp: NOW_S - 59 }),
];
