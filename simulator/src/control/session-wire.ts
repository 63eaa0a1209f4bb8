/** Codes and sessions of the control API. */
import { nothing, object, openObject, string, union } from '@miftah/schema';

const text = string();
const CODE_MAX = 64;

export const SessionCodeAnswer = openObject(
  {
    data: openObject({
      code: text,
      expires_at: text,
      /** The page of the phone, for another machine; null if none can reach this instance. */
      phone_url: union(text, nothing()),
    }),
  },
  { description: 'A new code, and where a phone uses it.' },
);

export const SessionBody = object({ code: string({ minLength: 1, maxLength: CODE_MAX }) });

export const SessionAnswer = openObject(
  { data: openObject({ expires_at: text }) },
  { description: 'The session, whose cookie comes with this answer.' },
);
