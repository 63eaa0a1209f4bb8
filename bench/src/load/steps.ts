import type { Source } from './exchanges.ts';
import type { Exchange } from './requests.ts';

/**
 * Pieces of work of which all send their first request, then all their second, and so on: so each
 * request can be measured by itself.
 */
export class Steps {
  #held: Exchange[] = [];

  /** The requests of a step: the first one of new pieces, or what follows in those that are there. */
  sourceOf(source: Source, step: number): Source {
    const begun = this.#held;
    this.#held = [];
    const take = step === 0 ? source : () => begun.pop() ?? null;
    return () => {
      const exchange = take();
      return exchange === null ? null : { ...exchange, next: () => this.#hold(exchange) };
    };
  }

  #hold({ next }: Exchange): null {
    const following = next?.() ?? null;
    if (following !== null) this.#held.push(following);
    return null;
  }
}
