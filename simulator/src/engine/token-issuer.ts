/** Makes the tokens that the provider signs: of an exchange, and of a push result. */
import { idTokenClaims } from './claims/id-token.ts';
import { pushClaims } from './claims/push-token.ts';
import { planToken, type TokenPlan } from './claims/token-plan.ts';
import type { Directory } from './directory.ts';
import type { TokenFlaw } from './effects.ts';
import type { Person } from './person.ts';
import type { Ms, Random } from './ports.ts';
import type { PromptEnd, PushPrompt, RedirectPrompt } from './prompts.ts';
import { contentOf, effectOn } from './result.ts';
import type { EngineSettings } from './settings.ts';

type Approved = Extract<PromptEnd, { state: 'approved' }>;

const STATUSES = {
  approved: 'COMPLETED',
  rejected: 'REJECTED',
  expired: 'EXPIRED',
} as const satisfies Record<PromptEnd['state'], string>;

export class TokenIssuer {
  readonly #settings: EngineSettings;
  readonly #directory: Directory;
  readonly #random: Random;

  constructor(settings: EngineSettings, directory: Directory, random: Random) {
    this.#settings = settings;
    this.#directory = directory;
    this.#random = random;
  }

  /** @param flaw for the token of an exchange; the authorization page always posts one without */
  idToken(prompt: RedirectPrompt, end: Approved, flaw: TokenFlaw | null, now: Ms): TokenPlan {
    const person = this.#named(end.person, flaw);
    const { claimForms } = this.#settings;
    const claims = {
      nonce: prompt.session?.nonce,
      ...idTokenClaims(person, claimForms, prompt.locale, now),
    };
    return planToken({ ...this.#registered(now), kind: 'web' }, claims, flaw);
  }

  /** The claims are about the person who approved, or else about the person of the prompt. */
  pushToken(prompt: PushPrompt, end: PromptEnd, now: Ms): TokenPlan {
    const { flaw } = effectOn(end);
    const person =
      end.state === 'approved' ? end.person : this.#directory.signerFor(prompt.nationalId);
    const content = contentOf(prompt, end, this.#settings.services);
    const named = pushClaims(this.#named(person, flaw), content, prompt.locale, now);
    const { service: ServiceName, transactionId: transId, requestId: tokenId } = prompt;
    const claims = { ServiceName, transId, status: STATUSES[end.state], ...named };
    return planToken({ ...this.#registered(now), kind: 'push', tokenId }, claims, flaw);
  }

  #named(person: Person, flaw: TokenFlaw | null): Person {
    return flaw === 'other_person' ? this.#directory.otherThan(person) : person;
  }

  #registered(now: Ms) {
    const { issuer, audience } = this.#settings;
    return { issuer, audience, tokenId: this.#random.uuid(), now };
  }
}
