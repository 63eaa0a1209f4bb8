import { openSqliteStore } from '../../../../service/src/store/index.ts';
import { epochSeconds, type Adapter, type Payload } from './adapter.ts';
import { isPayload } from './sqlite-store.ts';

type Store = Awaited<ReturnType<typeof openSqliteStore>>;

/** As the service opens it in simulation. */
export function openServiceStore(directory: string): Promise<Store> {
  return openSqliteStore({ directory, onPoisoned: fail });
}

function fail(reason: string): never {
  throw new Error(reason);
}

/** The package alone on the store of the service: it has no attempts, no people and no audit rows. */
export class ServiceStoreAdapter implements Adapter {
  readonly #model: string;
  readonly #store: Store;

  constructor(model: string, store: Store) {
    this.#model = model;
    this.#store = store;
  }

  async upsert(id: string, payload: Payload, expiresIn?: number): Promise<void> {
    const isGrant = this.#model === 'Grant';
    const record = {
      model: this.#model,
      id,
      body: JSON.stringify(payload),
      grant: isGrant ? id : (payload.grantId ?? null),
      subject: null,
      client: null,
      attemptId: null,
      expiresAt: expiresIn === undefined ? null : (epochSeconds() + expiresIn) * 1000,
    };
    // The store writes what ends with a grant only while a record of it is there: this is the first.
    if (isGrant) await this.#store.keepOpenid(record);
    else if (!(await this.#store.putOpenid(record))) throw new Error('the grant is not there');
  }

  async find(id: string): Promise<Payload | undefined> {
    const found = await this.#store.findOpenid({ model: this.#model, id });
    const payload: unknown = found === null ? null : JSON.parse(found.body);
    if (found === null || !isPayload(payload)) return undefined;
    if (found.consumedAt !== null) payload.consumed = Math.floor(found.consumedAt / 1000);
    return payload;
  }

  /** The store finds nothing by it, and the package asks only for what ends with its session. */
  async findByUid(): Promise<undefined> {}

  /** Only used by the device flow, which is not measured. */
  async findByUserCode(): Promise<undefined> {}

  async consume(id: string): Promise<void> {
    await this.#store.consumeOpenid({ model: this.#model, id }, epochSeconds() * 1000);
  }

  async destroy(id: string): Promise<void> {
    await this.#store.removeOpenid({ model: this.#model, id });
  }

  revokeByGrantId(grantId: string): Promise<void> {
    return this.#store.removeOpenidGrant(grantId, epochSeconds() * 1000);
  }
}
