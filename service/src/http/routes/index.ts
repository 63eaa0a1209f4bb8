import type { Endpoint } from '../context.ts';
import { callback } from './callback.ts';
import { completeMfa } from './complete-mfa.ts';
import { introspect } from './introspect.ts';
import { listTokensRoute } from './list-tokens.ts';
import { revokeOwnToken } from './revoke-own-token.ts';
import { revokeTokenById } from './revoke-token.ts';
import { signInForm } from './sign-in-form.ts';
import { signIn } from './sign-in-page.ts';
import { start } from './start.ts';
import { status } from './status.ts';
import { token } from './token.ts';
import { user } from './user.ts';
import { assetFiles } from './origin/assets.ts';
import { dashboard } from './origin/dashboard.ts';
import { docs } from './origin/docs.ts';
import { errorCatalogue } from './origin/errors.ts';
import { health } from './origin/health.ts';
import { home } from './origin/home.ts';

/** Area A, below the base path. */
export const apiEndpoints: readonly Endpoint[] = [
  start,
  status,
  callback,
  signIn,
  signInForm,
  completeMfa,
  token,
  user,
  revokeOwnToken,
  listTokensRoute,
  revokeTokenById,
  introspect,
];

/** At the origin. */
export const originEndpoints: readonly Endpoint[] = [
  home,
  dashboard,
  health,
  docs,
  errorCatalogue,
  assetFiles,
];
