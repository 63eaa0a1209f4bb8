import type { StoreHealth } from '../ports/store.port.ts';
import type { Command, Read } from '../sql/statement.ts';
import type { SqlEngine } from '../sql/engine.ts';
import type { Preparation } from './preparation.ts';

/** Lets nothing through before the database was prepared. */
export class GatedEngine implements SqlEngine {
  readonly #engine: SqlEngine;
  readonly #preparation: Preparation;

  constructor(engine: SqlEngine, preparation: Preparation) {
    this.#engine = engine;
    this.#preparation = preparation;
  }

  async run<Result>(command: Command<Result>): Promise<Result> {
    this.#preparation.require();
    return this.#engine.run(command);
  }

  async read<Result>(read: Read<Result>): Promise<Result> {
    this.#preparation.require();
    return this.#engine.read(read);
  }

  health(): StoreHealth {
    const { lack, refused } = this.#preparation;
    if (lack === null) return this.#engine.health();
    return { ready: false, reason: lack, isAway: true, ...refused };
  }

  recover(): Promise<void> {
    return this.#engine.recover();
  }

  async close(): Promise<void> {
    this.#preparation.close();
    await this.#engine.close();
  }
}
