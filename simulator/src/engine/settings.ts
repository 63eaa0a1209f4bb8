import { REPORTED_FORMS, type ClaimForms } from './claims/claim-forms.ts';
import type { Ms } from './ports.ts';
import { SERVICES_IN_USE, type Services } from './services.ts';

const SECOND_MS: Ms = 1000;
const MINUTE_MS: Ms = 60 * SECOND_MS;

/** Where the browser signs in, and where that page sends its result: paths below the origin. */
const AUTHORIZE_PATH = '/authservice/authorize';
const CALLBACK_PATH = '/api/v2/oidc/callback';

export interface EngineSettings {
  /** The authorization page, `{auth_url}/authservice/authorize`. */
  readonly authorizeUrl: string;
  /** The provider's own callback, which a session names as its `redirect_uri`. */
  readonly callbackUrl: string;
  /** Who signs: stands in every token as `iss`. */
  readonly issuer: string;
  /** The relying service's address, as it is registered. */
  readonly clientId: string;
  /** Of the tokens of both flows. */
  readonly audience: string;
  /** What web tokens claim where reports disagree. */
  readonly claimForms: ClaimForms;
  /** Whatever else a push asks for is refused. */
  readonly services: Services;
  /** What a sign-in page says that the person signs in to. */
  readonly sessionService: string;
  readonly sessionLifetimeMs: Ms;
  /** How long after the approval a state can be exchanged. */
  readonly exchangeLifetimeMs: Ms;
  /** How long the status of an expired push still answers EXPIRED instead of an error record. */
  readonly expiredStatusMs: Ms;
  readonly bindingCodeLength: number;
  /** Whether somebody who is being asked already is not asked once more meanwhile. */
  readonly oneActive: boolean;
  readonly promptLimit: number;
}

/** @param origin the public origin of the simulator, without a slash at the end. */
export function defaultSettings(origin: string): EngineSettings {
  return {
    authorizeUrl: `${origin}${AUTHORIZE_PATH}`,
    callbackUrl: `${origin}${CALLBACK_PATH}`,
    issuer: origin,
    clientId: 'https://relying-party.example.test',
    audience: 'https://relying-party.example.test',
    claimForms: REPORTED_FORMS,
    services: SERVICES_IN_USE,
    sessionService: 'Login',
    sessionLifetimeMs: 5 * MINUTE_MS,
    exchangeLifetimeMs: 150 * SECOND_MS,
    expiredStatusMs: 20 * SECOND_MS,
    bindingCodeLength: 2,
    oneActive: true,
    promptLimit: 10_000,
  };
}
