interface Most {
  readonly all: number;
  /** Of one address: what one machine holds leaves places for the others. */
  readonly ofAddress: number;
}

/** The places of those who watch or wait, counted in all and by network address. */
export class Places {
  readonly #most: Most;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(most: Most) {
    this.#most = most;
  }

  /** Whether there is no place for one more of an address. */
  isFullFor(address: string): boolean {
    return this.#all >= this.#most.all || this.#of(address) >= this.#most.ofAddress;
  }

  take(address: string): void {
    this.#all += 1;
    this.#taken.set(address, this.#of(address) + 1);
  }

  /** Once for each place that was taken. */
  leave(address: string): void {
    this.#all -= 1;
    const left = this.#of(address) - 1;
    if (left > 0) this.#taken.set(address, left);
    else this.#taken.delete(address);
  }

  #of(address: string): number {
    return this.#taken.get(address) ?? 0;
  }
}
