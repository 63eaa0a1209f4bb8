/** Makes the tokens that the provider signs: of an exchange, and of a push result. */
import { idTokenClaims } from './id-token.ts';
import { pushClaims } from './push-token.ts';
import { planToken, type TokenPlan } from './token-plan.ts';
import type { Directory } from '../people/directory.ts';
import type { TokenFlaw } from '../outcomes/effects.ts';
import type { Person } from '../people/person.ts';
import type { Ms, Random } from '../ports.ts';
import type { PromptEnd, PushPrompt, RedirectPrompt } from '../prompts/prompts.ts';
import { contentOf, effectOn } from '../outcomes/outcome-of.ts';
import type { Scopes } from '../scopes.ts';
import type { EngineSettings } from '../settings.ts';

type Approved = Extract<PromptEnd, { state: 'approved' }>;

const STATUSES = {
  approved: 'COMPLETED',
  rejected: 'REJECTED',
  expired: 'EXPIRED',
} as const satisfies Record<PromptEnd['state'], string>;

export class TokenIssuer {
  readonly #settings: EngineSettings;
  readonly #scopes: Pick<Scopes, 'of'>;
  readonly #random: Random;

  constructor(settings: EngineSettings, scopes: Pick<Scopes, 'of'>, random: Random) {
    this.#settings = settings;
    this.#scopes = scopes;
    this.#random = random;
  }

  /** @param flaw for the token of an exchange; the authorization page always posts one without */
  idToken(prompt: RedirectPrompt, end: Approved, flaw: TokenFlaw | null, now: Ms): TokenPlan {
    const { directory } = this.#scopes.of(prompt.scope);
    const person = named(end.person, flaw, directory);
    const { claimForms } = this.#settings;
    const claims = {
      nonce: prompt.session?.nonce,
      ...idTokenClaims(person, claimForms, prompt.locale, now),
    };
    const registered = this.#registered(now);
    const issuer = this.#settings.webIssuer ?? registered.issuer;
    return planToken({ ...registered, issuer, kind: 'web' }, claims, flaw);
  }

  /** The claims are about the person who approved, or else about the person of the prompt. */
  pushToken(prompt: PushPrompt, end: PromptEnd, now: Ms): TokenPlan {
    const { flaw } = effectOn(prompt, end);
    const { directory } = this.#scopes.of(prompt.scope);
    const person = end.state === 'approved' ? end.person : directory.signerFor(prompt.nationalId);
    const { claimForms: forms } = this.#settings;
    const content = contentOf(prompt, end, this.#settings);
    const wanted = { content, forms, locale: prompt.locale, now };
    const about = pushClaims(named(person, flaw, directory), wanted);
    const { service, transactionId: transId, requestId: tokenId } = prompt;
    const serviceName = forms.push === 'thin' ? {} : { ServiceName: service };
    const claims = { ...serviceName, transId, status: STATUSES[end.state], ...about };
    return planToken({ ...this.#registered(now), kind: 'push', tokenId }, claims, flaw);
  }

  #registered(now: Ms) {
    const { issuer, audience } = this.#settings;
    return { issuer, audience, tokenId: this.#random.uuid(), now };
  }
}

function named(person: Person, flaw: TokenFlaw | null, directory: Directory): Person {
  return flaw === 'other_person' ? directory.otherThan(person) : person;
}
