import { parseDigest } from '../../../values/secret.ts';
import { FLOWS } from '../../../attempt/flow.ts';
import { LOCALES } from '../../../values/locale.ts';
import {
  parseNationalId,
  DOCUMENT_TYPES,
  GENDERS,
  parseUserId,
  type Person,
  type User,
  type UserId,
} from '../../../account/user.ts';
import type { SealContext } from '../../../platform/keys/vault.port.ts';
import type { Identities } from '../identities.ts';
import { RowReader } from './row-reader.ts';
import type { PersonRow, UserRow } from '../schema.ts';
import type { SqlRow } from '../statement.ts';

type IdentityColumn =
  | 'document_number'
  | 'national_id'
  | 'arabic_name'
  | 'english_name'
  | 'email'
  | 'nationality'
  | 'gender';

/** A seal is bound to the person's digest, because a new row has no id yet when it is sealed. */
function identityOf(identityDigest: string, column: IdentityColumn): SealContext {
  return { table: 'users', row: identityDigest, column };
}

/** @throws Error for a sealed row when there is no vault */
export function userFromRow(row: SqlRow, identities: Identities): User {
  const read = new RowReader<UserRow>('users', row);
  const digest = read.parsed('identity_digest', parseDigest);
  if (!identities.areSealed && read.textOrNull('vault_key') !== null) {
    throw new Error('a row of users is sealed, and this store was opened without its vault');
  }
  const open = (column: IdentityColumn) =>
    identities.read(identityOf(digest, column), read.text(column));
  return {
    id: read.id('id', parseUserId),
    issuer: read.text('issuer'),
    documentType: read.oneOf('document_type', DOCUMENT_TYPES),
    documentNumber: open('document_number'),
    nationalId: read.accepted('national_id', parseNationalId(open('national_id'))),
    arabicName: open('arabic_name'),
    englishName: open('english_name'),
    email: read.textOrNull('email') === null ? null : open('email'),
    nationality: open('nationality'),
    gender: read.accepted('gender', parseGender(open('gender'))),
    assuranceLevel: read.integer('assurance_level'),
    preferredLocale: read.oneOf('preferred_locale', LOCALES),
    lastAuthMethod: read.oneOf('last_auth_method', FLOWS),
    createdAt: read.integer('created_at'),
    updatedAt: read.integer('updated_at'),
    disabledAt: read.integerOrNull('disabled_at'),
    signInsEndedAt: read.integerOrNull('sign_ins_ended_at'),
  };
}

export function userIdFromRow(row: SqlRow): UserId {
  return new RowReader<UserRow>('users', row).id('id', parseUserId);
}

function parseGender(text: string) {
  return GENDERS.find((gender) => gender === text) ?? null;
}

export function personToRow(person: Person, identities: Identities): PersonRow {
  const digest = identities.digestOf(person);
  const seal = (column: IdentityColumn, text: string) =>
    identities.write(identityOf(digest, column), text);
  return {
    identity_digest: digest,
    vault_key: identities.currentKey,
    issuer: person.issuer,
    document_type: person.documentType,
    document_number: seal('document_number', person.documentNumber),
    national_id: seal('national_id', person.nationalId),
    arabic_name: seal('arabic_name', person.arabicName),
    english_name: seal('english_name', person.englishName),
    email: person.email === null ? null : seal('email', person.email),
    nationality: seal('nationality', person.nationality),
    gender: seal('gender', person.gender),
    assurance_level: person.assuranceLevel,
  };
}

/** The whole row of an existing user. */
export function userToRow(user: User, identities: Identities): UserRow {
  return {
    ...personToRow(user, identities),
    id: user.id,
    preferred_locale: user.preferredLocale,
    last_auth_method: user.lastAuthMethod,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
    disabled_at: user.disabledAt,
    sign_ins_ended_at: user.signInsEndedAt,
  };
}
