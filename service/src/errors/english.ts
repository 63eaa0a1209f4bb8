import type { ErrorWordings } from './catalogue.ts';
import { ATTEMPTS } from './english/attempts.ts';
import { CREDENTIALS } from './english/credentials.ts';
import { PROVIDER } from './english/provider.ts';
import { REQUESTS } from './english/requests.ts';
import { SERVICE } from './english/service.ts';

/** The type requires a wording for every code. */
export const ENGLISH: ErrorWordings = {
  ...ATTEMPTS,
  ...REQUESTS,
  ...CREDENTIALS,
  ...PROVIDER,
  ...SERVICE,
};
