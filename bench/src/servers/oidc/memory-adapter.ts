import { epochSeconds, type Adapter, type Payload } from './adapter.ts';

/** Of each model. The package's own adapter in memory keeps 1000, of all models together. */
const KEPT = 20_000;

/** As cheap as a store can be: a map for each model, the oldest entries dropped. */
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

  /** Only the device flow asks, and it is not measured. */
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
