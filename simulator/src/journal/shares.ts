/** What one scope keeps. */
export interface Share {
  readonly kept: number;
  readonly characters: number;
}

/**
 * How much each scope keeps of what all have together. Where that is too much, the scope that has most
 * gives something up: one scope can't push out what another keeps.
 */
export class Shares {
  readonly #all = new Map<string, Share>();

  add(scope: string, { kept = 0, characters = 0 }: Partial<Share>): void {
    const share = this.of(scope);
    const grown = { kept: share.kept + kept, characters: share.characters + characters };
    if (grown.kept > 0) this.#all.set(scope, grown);
    else this.#all.delete(scope);
  }

  of(scope: string): Share {
    return this.#all.get(scope) ?? { kept: 0, characters: 0 };
  }

  /** The scope that has most of one; of several, the one that has had something for longest. */
  largest(by: keyof Share): string | null {
    let largest: string | null = null;
    let most = 0;
    for (const [scope, share] of this.#all) {
      if (share[by] <= most) continue;
      largest = scope;
      most = share[by];
    }
    return largest;
  }
}
