/** Checks the address that the authorization page was opened with. */
import type { Locale } from '../locale.ts';
import type { Ms } from '../ports.ts';
import { stateOf, type RedirectPrompt } from './prompts.ts';
import type { EngineSettings } from '../settings.ts';

/** All parameters of a session's `url`. */
export interface AuthorizeQuery {
  readonly scope: string;
  readonly response_type: string;
  readonly response_mode: string;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly nonce: string;
  readonly ui_locales: Locale;
  readonly aud: string;
  readonly prompt: string;
  readonly max_age: string;
  readonly state: string;
}

/** The stage of a sign-in by browser. After `approved` its state can be exchanged. */
export type SignInStage = 'open' | 'approved' | 'exchanged' | 'rejected' | 'expired';

/** A sign-in by browser and its stage. */
export interface SignIn {
  readonly prompt: RedirectPrompt;
  readonly stage: SignInStage;
}

export function stageOf(prompt: RedirectPrompt, settings: EngineSettings, now: Ms): SignInStage {
  const end = stateOf(prompt, now);
  if (end.state === 'waiting') return 'open';
  if (end.state !== 'approved') return end.state;
  if (prompt.exchanged) return 'exchanged';
  return now < end.at + settings.exchangeLifetimeMs ? 'approved' : 'expired';
}

/** Only the language may differ from the issued address, because the page offers both languages. */
export function isAsIssued(
  query: AuthorizeQuery,
  prompt: RedirectPrompt,
  settings: EngineSettings,
): boolean {
  const issued: Partial<AuthorizeQuery> = {
    scope: 'openid',
    response_type: 'id_token',
    response_mode: 'form_post',
    client_id: settings.clientId,
    redirect_uri: settings.callbackUrl,
    aud: settings.audience,
    prompt: 'login',
    max_age: String(Math.floor(prompt.createdAt / 1000)),
    nonce: prompt.session?.nonce ?? '',
  };
  return Object.entries(issued).every(
    ([name, value]) => query[name as keyof typeof query] === value,
  );
}
