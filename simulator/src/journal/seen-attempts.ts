import type { Engine } from '../engine/engine.ts';
import { promptOfRequest } from '../engine/prompts/prompt-of-request.ts';
import { stateOf, type Prompt } from '../engine/prompts/prompts.ts';
import type { HostedAttempt, ListedPart } from '../hosted.ts';
import { isAnswer } from './entry.ts';
import type { Journal, Numbered } from './journal.ts';
import { askedFor, isRefused } from './starts.ts';

const STATES = {
  waiting: 'pending',
  approved: 'authenticated',
  rejected: 'rejected',
  expired: 'expired',
} as const;

/**
 * The attempts of services elsewhere, as far as the calls to this provider tell: an attempt is what
 * has one `requestId`. The words are those of the service.
 */
export class SeenAttempts {
  readonly #engine: Engine;
  readonly #journal: Journal;

  constructor(engine: Engine, journal: Journal) {
    this.#engine = engine;
    this.#journal = journal;
  }

  /** Those of a scope, newest first; null where `before` is not one of them. */
  list(scope: string, { limit, before }: ListedPart): readonly HostedAttempt[] | null {
    const ids = this.#journal.idsOf(scope);
    const start = before === null ? 0 : ids.indexOf(before) + 1;
    if (before !== null && start === 0) return null;
    const part = ids.slice(start, start + limit);
    return part.map((id) => this.find(id, scope)).filter((found) => found !== null);
  }

  find(id: string, scope: string): HostedAttempt | null {
    const { entries } = this.#journal.entriesOf(id, scope);
    const [first] = entries;
    if (first === undefined) return null;
    const { name } = first.entry;
    const prompt = promptOfRequest(this.#engine, id, scope);
    const flow = prompt?.kind === 'push' || name.startsWith('mfa') ? 'mfa' : 'oidc';
    const seen = { id, scope, flow, client: null };
    if (prompt !== null) return { ...seen, ...this.#factsOf(prompt) };
    return { ...seen, ...factsIn(entries), nationalId: askedFor(entries) };
  }

  #factsOf(prompt: Prompt) {
    const { service, createdAt, expiresAt } = prompt;
    const end = stateOf(prompt, this.#engine.now());
    const reason = end.state === 'rejected' ? 'attempt.rejected' : null;
    const asked = prompt.kind === 'push' ? prompt.nationalId : null;
    const nationalId = end.state === 'approved' ? end.person.nationalId : asked;
    return { state: STATES[end.state], reason, service, createdAt, expiresAt, nationalId };
  }
}

/**
 * Without a prompt: the provider has refused to make one, or it gave its place to those of others.
 * Nobody can answer it then any more.
 */
function factsIn(entries: readonly Numbered[]) {
  const state = isRefused(entries) ? 'failed' : endIn(entries);
  const reason = state === 'rejected' ? 'attempt.rejected' : null;
  const createdAt = entries[0]?.entry.at ?? 0;
  // When it expired is not known: not before the last call.
  const expiresAt = state === 'failed' ? createdAt : (entries.at(-1)?.entry.at ?? createdAt);
  return { state, reason, service: null, createdAt, expiresAt };
}

function endIn(entries: readonly Numbered[]) {
  const answer = entries.findLast(({ entry }) => isAnswer(entry))?.entry.act?.decision ?? null;
  if (answer === null) return STATES.expired;
  return answer === 'approve' ? STATES.approved : STATES.rejected;
}
