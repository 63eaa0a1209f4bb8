import type { ErrorWordings } from './catalogue.ts';
import { ATTEMPTS } from './arabic/attempts.ts';
import { CREDENTIALS } from './arabic/credentials.ts';
import { PROVIDER } from './arabic/provider.ts';
import { REQUESTS } from './arabic/requests.ts';
import { SERVICE } from './arabic/service.ts';

/** The type requires a wording for every code. */
export const ARABIC: ErrorWordings = {
  ...ATTEMPTS,
  ...REQUESTS,
  ...CREDENTIALS,
  ...PROVIDER,
  ...SERVICE,
};
