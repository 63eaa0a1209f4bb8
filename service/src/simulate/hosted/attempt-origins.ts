import type { SignInOrigin } from '@miftah/simulator/app';
import { parseAttemptId, type AttemptId } from '../../attempt/attempt-id.ts';
import { scopeOf } from '../../attempt/scenario.ts';
import type { Locale } from '../../values/locale.ts';
import { BoundedTable } from '../../platform/coordination/memory-coordination.ts';
import type { Clients } from '../../account/clients.port.ts';
import type { Store } from '../../store/ports/store.port.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';

/** The list of prompts is read four times a second while somebody looks, so the store is not. */
const MOST_KNOWN = 2000;

/** What of an attempt never changes. */
interface Known {
  readonly scope: string;
  readonly client: string;
  readonly locale: Locale;
}

const NOTHING: SignInOrigin = { application: null, place: null };

interface Parts {
  readonly store: Pick<Store, 'findAttempt'>;
  readonly clients: Clients;
  readonly recorder: AttemptRecorder;
}

/** Which application began an attempt, and where: what a phone shows beside the number. */
export class AttemptOrigins {
  readonly #parts: Parts;
  readonly #known = new BoundedTable<Known>(MOST_KNOWN);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async of(id: string, scope: string): Promise<SignInOrigin> {
    const attemptId = parseAttemptId(id);
    const known = attemptId === null ? null : await this.#find(attemptId);
    if (known === null || known.scope !== scope) return NOTHING;
    const { clients, recorder } = this.#parts;
    const application = clients.find(known.client)?.name[known.locale] ?? null;
    return { application, place: recorder.addressOf(id) };
  }

  async #find(attemptId: AttemptId): Promise<Known | null> {
    const known = this.#known.get(attemptId);
    if (known !== undefined) return known;
    const found = await this.#parts.store.findAttempt(attemptId);
    if (found === null) return null;
    const { client, locale } = found.attempt;
    const read = { scope: scopeOf(found.attempt), client, locale };
    this.#known.set(attemptId, read);
    return read;
  }
}
