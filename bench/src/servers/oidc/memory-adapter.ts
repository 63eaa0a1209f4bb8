import { epochSeconds, type Adapter, type Payload } from './adapter.ts';

/**
 * The most entries of each model. The package's own memory adapter keeps 1000 entries of all models
 * together.
 */
const KEPT = 20_000;

/** The cheapest possible store: a map per model, which drops the oldest entries. */
export class MemoryAdapter implements Adapter {
  readonly #entries = new Map<string, Payload>();
  readonly #byUid = new Map<string, string>();

  async upsert(id: string, payload: Payload): Promise<void> {
    this.#entries.set(id, payload);
    if (payload.uid !== undefined) this.#byUid.set(payload.uid, id);
    dropOldest(this.#entries);
    dropOldest(this.#byUid);
  }

  async find(id: string): Promise<Payload | undefined> {
    return this.#entries.get(id);
  }

  async findByUid(uid: string): Promise<Payload | undefined> {
    return this.#entries.get(this.#byUid.get(uid) ?? '');
  }

  /** Only used by the device flow, which is not measured. */
  async findByUserCode(): Promise<Payload | undefined> {
    return undefined;
  }

  async consume(id: string): Promise<void> {
    const payload = this.#entries.get(id);
    if (payload !== undefined) payload.consumed = epochSeconds();
  }

  async destroy(id: string): Promise<void> {
    this.#entries.delete(id);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [id, payload] of this.#entries) {
      if (payload.grantId === grantId) this.#entries.delete(id);
    }
  }
}

function dropOldest(entries: Map<string, unknown>): void {
  if (entries.size <= KEPT) return;
  for (const key of entries.keys()) {
    entries.delete(key);
    return;
  }
}
