/** What a browser brings to the pages of the sign-in. */
import { Type } from 'typebox';
import { LOCALES } from '../engine/locale.ts';

const STATE_MAX = 1024;
const TEXT_MAX = 2048;
const TOKEN_MAX = 8192;
const PERSON_ID_MAX = 40;

const text = Type.String({ maxLength: TEXT_MAX });
const State = Type.String({ minLength: 1, maxLength: STATE_MAX });

export const AuthorizeQuery = Type.Object({
  scope: text,
  response_type: text,
  response_mode: text,
  client_id: text,
  redirect_uri: text,
  nonce: text,
  ui_locales: Type.Enum([...LOCALES]),
  aud: text,
  prompt: text,
  max_age: text,
  state: State,
});

/** The language that the page with the form was in. */
export const SignInQuery = Type.Object({ ui_locales: Type.Enum([...LOCALES]) });

export const SignInForm = Type.Object({
  state: State,
  decision: Type.Enum(['approve', 'refuse', 'not_me']),
  person: Type.Optional(Type.String({ minLength: 1, maxLength: PERSON_ID_MAX })),
});

export const CallbackForm = Type.Object({
  state: State,
  id_token: Type.String({ minLength: 1, maxLength: TOKEN_MAX }),
});
