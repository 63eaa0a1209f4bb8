import {
  integer,
  nothing,
  object,
  oneOf,
  reference,
  string,
  union,
  type Static,
} from '@miftah/schema';
import { FLOWS, GENDERS, LOCALES } from './values.ts';

const members = {
  id: integer(),
  national_id: string(),
  name: string({ description: 'In the preferred locale.' }),
  arabic_name: string(),
  english_name: string(),
  preferred_locale: oneOf(LOCALES),
  nationality: string({ description: 'ISO 3166-1 alpha-2; XX where the code is not known.' }),
  gender: oneOf(GENDERS, { description: 'X where the provider does not say.' }),
  assurance_level: integer(),
  last_auth_method: oneOf(FLOWS),
};

/** The person who has signed in. In live mode a status masks the names and most of `national_id`. */
export const User = object(members, { $id: 'User', title: 'User' });
export type User = Static<typeof User>;

/** A reference to `User` for other schemas. `User` must be registered before they are compiled. */
export const USER = reference(User);
export const USER_OR_NULL = union(USER, nothing());

/** The user in answers of `GET /user`; in all other answers a user has ten members. */
export const TokenUser = object(
  {
    ...members,
    client_id: string({ description: 'The application that the token was issued to.' }),
  },
  { title: 'TokenUser' },
);
export type TokenUser = Static<typeof TokenUser>;
