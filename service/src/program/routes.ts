import { spoilByState } from '../attempt/browser/spoil.flow.ts';
import type {
  Endpoint,
  Endpoints,
  HttpContext,
  LiveContext,
  SimulatorContext,
} from '../request/context.ts';
import { callback } from '../attempt/finish/callback.route.ts';
import { cancel } from '../attempt/finish/cancel.route.ts';
import { completeMfa } from '../attempt/finish/complete-mfa.route.ts';
import { introspect } from '../account/introspect.route.ts';
import { listTokensRoute } from '../account/list-tokens.route.ts';
import { confirmMfa } from '../attempt/phone/confirm-mfa.route.ts';
import { launchForm } from '../attempt/browser/launch-form.route.ts';
import { launchOrReturn } from '../attempt/browser/launch-or-return.route.ts';
import { mfaCallback } from '../attempt/phone/mfa-callback.route.ts';
import { providerReturn } from '../attempt/browser/provider-return.route.ts';
import { revokeOwnToken } from '../account/revoke-own-token.route.ts';
import { revokeTokenById } from '../account/revoke-token.route.ts';
import { signInForm } from '../attempt/sign-in/sign-in-form.route.ts';
import { signIn } from '../attempt/sign-in/sign-in-page.route.ts';
import { start } from '../attempt/start/start.route.ts';
import { status } from '../attempt/status/status.route.ts';
import { statusEvents } from '../attempt/status/status-events.route.ts';
import { token } from '../attempt/redeem/token.route.ts';
import { user } from '../account/user.route.ts';
import { assetFiles } from '../origin/assets.route.ts';
import { dashboard } from '../attempt/sign-in/dashboard.route.ts';
import { docs } from '../origin/docs.route.ts';
import { errorCatalogue } from '../origin/errors.route.ts';
import { health } from '../origin/health.route.ts';
import { metrics } from '../origin/metrics.route.ts';
import { home } from '../origin/home.route.ts';
import { strictHome, type StrictEntry } from '../origin/strict-home.route.ts';

const attempts: readonly Endpoint[] = [start, status, statusEvents, cancel];
const tokens: readonly Endpoint[] = [
  token,
  user,
  revokeOwnToken,
  listTokensRoute,
  revokeTokenById,
  introspect,
];
const origin: readonly Endpoint[] = [docs, errorCatalogue, health, assetFiles];
/** Where the numbers have no listener of their own. */
const numbers = ({ settings }: HttpContext) => (settings.metrics ? [metrics] : []);

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
    origin: [
      ...given([...origin, ...numbers(context)], context),
      ...given(simulatedOrigin, context),
    ],
    lostReturn: null,
  };
}

export function liveEndpoints(context: LiveContext): Endpoints {
  return {
    api: [...given(attempts, context), ...given(live, context), ...given(tokens, context)],
    origin: given([...origin, ...numbers(context)], context),
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
