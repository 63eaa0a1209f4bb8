import { BoundedTable } from '../../platform/coordination/memory-coordination.ts';
import type { RecordedExchange } from '../../request/record/exchange-recorder.port.ts';

/** Of all sign-ins together. One sign-in has about ten ties, and each use of a refresh token adds two. */
const MOST_TIES = 20_000;
/** The most sign-ins that have no attempt yet. */
const MOST_WAITING = 200;
/**
 * Of one sign-in, before its attempt is known: the pushed authorization request (RFC 9126), the
 * authorization request, and views of the sign-in page.
 */
const MOST_HELD = 5;
/** Characters of JSON. A request with a longer body is held without its body. */
const LONGEST_HELD = 16 * 1024;
/** Characters of a tie: three times an id, a code or a token. Others may name one of any length. */
const LONGEST_TIE = 128;

interface SignIn {
  attemptId: string;
  readonly held: RecordedExchange[];
}

/**
 * Which attempt the exchanges of OpenID belong to. None names it, and the first ones come before it
 * begins: they are held until a later exchange that has a tie in common with them names one. The ties
 * of one exchange are of one sign-in.
 */
export class TiedExchanges {
  readonly #signIns = new BoundedTable<SignIn>(MOST_TIES);
  readonly #waiting = new Set<SignIn>();

  /** @returns what can be recorded now, the oldest first */
  add(exchange: RecordedExchange): readonly RecordedExchange[] {
    const { attemptId, status } = exchange;
    const ties = (exchange.ties ?? []).filter(({ length }) => length <= LONGEST_TIE);
    if (ties.length === 0) return attemptId === '' ? [] : [exchange];
    const known = ties.map((tie) => this.#signIns.get(tie)).find((one) => one !== undefined);
    // Nothing comes of a request that was refused, and anybody can send any number of them.
    const isRefused = status === null || status >= 400;
    if (known === undefined && attemptId === '' && isRefused) return [];
    const signIn = known ?? { attemptId: '', held: [] };
    for (const tie of ties) this.#signIns.set(tie, signIn);
    if (attemptId !== '') signIn.attemptId = attemptId;
    if (signIn.attemptId === '') {
      this.#hold(signIn, { ...exchange, ties });
      return [];
    }
    this.#waiting.delete(signIn);
    const ready = [...signIn.held.splice(0), exchange];
    return ready.map((one) => ({ ...one, attemptId: signIn.attemptId }));
  }

  #hold(signIn: SignIn, exchange: RecordedExchange): void {
    if (signIn.held.length >= MOST_HELD) return;
    signIn.held.push(shortened(exchange));
    this.#waiting.add(signIn);
    if (this.#waiting.size <= MOST_WAITING) return;
    const [oldest] = this.#waiting;
    oldest?.held.splice(0);
    if (oldest !== undefined) this.#waiting.delete(oldest);
  }
}

function shortened(exchange: RecordedExchange): RecordedExchange {
  const { request } = exchange;
  const isLong = JSON.stringify(request.body).length > LONGEST_HELD;
  return isLong ? { ...exchange, request: { ...request, body: null } } : exchange;
}
