import { REPORTED_FORMS, type ClaimForms } from './claims/claim-forms.ts';
import type { Ms } from './ports.ts';
import { SERVICES_IN_USE, type Services } from './services.ts';

const SECOND_MS: Ms = 1000;
const MINUTE_MS: Ms = 60 * SECOND_MS;

/** The paths of the sign-in page, and of the callback to which it posts its result. */
const AUTHORIZE_PATH = '/authservice/authorize';
const CALLBACK_PATH = '/api/v2/oidc/callback';

export interface EngineSettings {
  /** The authorization page, `{auth_url}/authservice/authorize`. */
  readonly authorizeUrl: string;
  /** The provider's own callback: the `redirect_uri` of every session. */
  readonly callbackUrl: string;
  /** The `iss` of every token. */
  readonly issuer: string;
  /** That of web tokens, where it is another one. */
  readonly webIssuer: string | null;
  /** The address of the relying party, as registered. */
  readonly clientId: string;
  /** The `aud` of every token. */
  readonly audience: string;
  /** The form of web tokens' claims where reports disagree. */
  readonly claimForms: ClaimForms;
  /** The known services; pushes for others are refused. */
  readonly services: Services;
  /** The service name of a sign-in by browser. */
  readonly sessionService: string;
  readonly sessionLifetimeMs: Ms;
  /** How long after the approval a state can be exchanged. */
  readonly exchangeLifetimeMs: Ms;
  /** How long the status of an expired push is EXPIRED before it becomes an error record. */
  readonly expiredStatusMs: Ms;
  readonly bindingCodeLength: number;
  /** Whether a second push to a person is refused while one is waiting. */
  readonly oneActive: boolean;
  readonly promptLimit: number;
}

/** @param origin the public origin of the simulator, without a trailing slash */
export function defaultSettings(origin: string): EngineSettings {
  return {
    authorizeUrl: `${origin}${AUTHORIZE_PATH}`,
    callbackUrl: `${origin}${CALLBACK_PATH}`,
    issuer: origin,
    webIssuer: null,
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
