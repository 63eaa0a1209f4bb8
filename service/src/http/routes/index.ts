import { spoilByState } from '../../flow/browser/spoil.ts';
import type {
  Endpoint,
  Endpoints,
  HttpContext,
  LiveContext,
  SimulatorContext,
} from '../context.ts';
import { callback } from './callback.ts';
import { cancel } from './cancel.ts';
import { completeMfa } from './complete-mfa.ts';
import { introspect } from './introspect.ts';
import { listTokensRoute } from './list-tokens.ts';
import { confirmMfa } from './live/confirm-mfa.ts';
import { launchForm } from './live/launch-form.ts';
import { launchOrReturn } from './live/launch-or-return.ts';
import { mfaCallback } from './live/mfa-callback.ts';
import { providerReturn } from './live/provider-return.ts';
import { revokeOwnToken } from './revoke-own-token.ts';
import { revokeTokenById } from './revoke-token.ts';
import { signInForm } from './sign-in-form.ts';
import { signIn } from './sign-in-page.ts';
import { start } from './start.ts';
import { status } from './status.ts';
import { statusEvents } from './status-events.ts';
import { token } from './token.ts';
import { user } from './user.ts';
import { assetFiles } from './origin/assets.ts';
import { dashboard } from './origin/dashboard.ts';
import { docs } from './origin/docs.ts';
import { errorCatalogue } from './origin/errors.ts';
import { health } from './origin/health.ts';
import { metrics } from './origin/metrics.ts';
import { home } from './origin/home.ts';
import { strictHome, type StrictEntry } from './origin/strict-home.ts';

const attempts: readonly Endpoint[] = [start, status, statusEvents, cancel];
const tokens: readonly Endpoint[] = [
  token,
  user,
  revokeOwnToken,
  listTokensRoute,
  revokeTokenById,
  introspect,
];
const origin: readonly Endpoint[] = [docs, errorCatalogue, health, metrics, assetFiles];

/** Routes that decide in place of the person, and the page for it. */
const simulated: readonly Endpoint<SimulatorContext>[] = [
  callback,
  signIn,
  signInForm,
  completeMfa,
];
const simulatedOrigin: readonly Endpoint<SimulatorContext>[] = [home, dashboard];
/** Stands in for the application's page until there is one. */
const strictOrigin: readonly Endpoint[] = [dashboard];

/** Live mode: only the provider decides. The browser is sent to it and returns. */
const live: readonly Endpoint<LiveContext>[] = [
  providerReturn,
  launchOrReturn,
  launchForm,
  confirmMfa,
  mfaCallback,
];

export function simulatorEndpoints(context: SimulatorContext): Endpoints {
  return {
    api: [...given(attempts, context), ...given(simulated, context), ...given(tokens, context)],
    origin: [...given(origin, context), ...given(simulatedOrigin, context)],
    lostReturn: null,
  };
}

export function liveEndpoints(context: LiveContext): Endpoints {
  return {
    api: [...given(attempts, context), ...given(live, context), ...given(tokens, context)],
    origin: given(origin, context),
    lostReturn: (state) => spoilByState(context.services, state, context.clock.now()),
  };
}

/** Live mode's routes, a page to begin at, and one to which the built-in client's browsers return. */
export function strictEndpoints(context: LiveContext, entry: StrictEntry): Endpoints {
  const served = liveEndpoints(context);
  const own = given([strictHome(entry), ...strictOrigin], context);
  return { ...served, origin: [...served.origin, ...own] };
}

function given<Context extends HttpContext>(
  endpoints: readonly Endpoint<Context>[],
  context: Context,
): Endpoints['api'] {
  return endpoints.map((endpoint) => (app) => endpoint(app, context));
}
