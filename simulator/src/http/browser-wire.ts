/** The queries and forms that browsers send to the sign-in pages. */
import { oneOf, openObject, optional, string } from '@miftah/schema';
import { LOCALES } from '../engine/locale.ts';

const STATE_MAX = 1024;
const TEXT_MAX = 2048;
const TOKEN_MAX = 8192;
const PERSON_ID_MAX = 40;

const text = string({ maxLength: TEXT_MAX });
const State = string({ minLength: 1, maxLength: STATE_MAX });

export const AuthorizeQuery = openObject({
  scope: text,
  response_type: text,
  response_mode: text,
  client_id: text,
  redirect_uri: text,
  nonce: text,
  ui_locales: oneOf(LOCALES),
  aud: text,
  prompt: text,
  max_age: text,
  state: State,
  /** Of the page's own form: what people are shown by. */
  search: optional(text),
});

/** The language of the page with the form. */
export const SignInQuery = openObject({ ui_locales: oneOf(LOCALES) });

export const SignInForm = openObject({
  state: State,
  decision: oneOf(['approve', 'refuse', 'not_me']),
  person: optional(string({ minLength: 1, maxLength: PERSON_ID_MAX })),
});

export const CallbackForm = openObject({
  state: State,
  id_token: string({ minLength: 1, maxLength: TOKEN_MAX }),
});
