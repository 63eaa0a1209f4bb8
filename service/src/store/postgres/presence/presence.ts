import { SECOND_MS, type Ms } from '../../../values/time.ts';
import type { Timer } from '../../../platform/runtime.port.ts';
import { StoreOpenError } from '../../store-fault.ts';
import type { Answer, Call, PostgresConnection } from '../connections/connection.ts';
import { Deadline } from '../connections/deadline.ts';
import type { PostgresPool } from '../connections/postgres-pool.ts';
import {
  isTaken,
  LOOK,
  sessionsIn,
  TAKE_ALONE,
  takeCall,
  type Membership,
  type OtherSession,
} from './sessions.ts';
import { busyWith, conflictOf, isInTheWay } from './who-fits.ts';

const LOOK_INTERVAL_MS: Ms = 200;
/**
 * Nobody is seen at the moment after the server has crashed, or has lost its network: this is longer
 * than an instance takes to come back. A session of a program that was killed has ended by then.
 */
const WAIT_MS: Ms = 5 * SECOND_MS;
/** For one answer of the server. */
const ANSWER_MS: Ms = 3 * SECOND_MS;

const READ_EPOCH: Call = { name: null, sql: 'SELECT epoch::text FROM store_epoch', values: [] };
const NEXT_EPOCH: Call = {
  name: null,
  sql: `INSERT INTO store_epoch (id, epoch) VALUES (1, gen_random_uuid())
    ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch RETURNING epoch::text`,
  values: [],
};

const WORKED_ALONE =
  'a command that has to be alone on the database (`miftah restore --database`, `miftah keys ' +
  'abandon`) has run while this instance was cut off from it: nothing that it knows of the ' +
  'database is certain any more. Start it again';

/** A pool with one connection, or what does the same. */
type OneConnection = Pick<PostgresPool, 'read' | 'autocommit'>;

/** What of an instance changes while it runs. */
export type MemberKeys = Pick<Membership, 'keys' | 'writes'>;

export interface PresenceOptions {
  /** Null for a command of an operator. */
  readonly membership: Membership | null;
  /** The name of the sessions of programs that hold no lock: see `isInTheWay`. */
  readonly plainName: string;
  readonly timer: Timer;
  /** Called when this program may use the database no more: it has to be started again. */
  readonly onRefused: (error: Error) => void;
}

/**
 * Says that this program uses the database, and knows who else does (decision 0014). Each session
 * holds a lock, shared, from before its first write until it ends. Whoever takes the lock alone has
 * the proof that no session is left that could still write, and none begins before it is given back.
 * Such a command gives the database another epoch, so that a program which lost all its sessions
 * meanwhile notices it with its next one, before it writes.
 */
export class Presence {
  readonly #options: PresenceOptions;
  #membership: Membership | null;
  #isChanging = false;
  #take: Call;
  #epoch: string | null = null;
  #refusal: StoreOpenError | null = null;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#membership = options.membership;
    this.#take = takeCall(options.membership);
  }

  /** @throws StoreOpenError when this program may use the database no more */
  require(): void {
    if (this.#refusal !== null) throw this.#refusal;
  }

  /**
   * For a connection before the schema is there.
   * @throws StoreOpenError unless this program fits to those that run; Error, ServerError,
   *   ConnectionLost when that may pass
   */
  async prepare(connection: PostgresConnection): Promise<void> {
    this.require();
    const [taken] = await this.#ask(connection, [takeCall(null)]);
    if (taken === undefined || !isTaken(taken.rows)) throw await this.#heldBy(connection);
    if (this.#epoch === null) await this.#untilItFits(connection);
  }

  /**
   * For every other connection, before it is used. Looks before it takes anything: whoever does not
   * fit must not be in the way of those who run.
   * @throws as `prepare`
   */
  async enter(connection: PostgresConnection): Promise<void> {
    this.require();
    this.#requireFit(await this.#look(connection));
    const calls = [this.#take, LOOK, READ_EPOCH];
    const [taken, seen, epoch] = await this.#ask(connection, calls);
    if (taken === undefined || !isTaken(taken.rows)) throw await this.#heldBy(connection);
    this.#requireFit(sessionsIn(seen?.rows ?? []));
    this.#requireEpoch(epoch?.rows[0]?.['epoch']);
  }

  /**
   * Runs work while no other program uses the database, and keeps all others from it.
   * @throws Error that says who uses it; nothing was done then
   */
  async alone<Result>(pool: OneConnection, work: () => Promise<Result>): Promise<Result> {
    const others = await this.#untilNobodyIsThere(pool);
    // A connection that is made from here on takes it alone, too.
    this.#take = TAKE_ALONE;
    const { rows } = await pool.read(TAKE_ALONE);
    if (others.length > 0 || !isTaken(rows)) {
      throw new Error(busyWith(others.length > 0 ? others : await this.#othersBy(pool)));
    }
    const { rows: next } = await pool.autocommit(NEXT_EPOCH);
    this.#epoch = String(next[0]?.['epoch']);
    return work();
  }

  /**
   * Before a change of the keys. Others may be changing theirs, too, or be without a session for a
   * moment, so they get some time, and are looked for as long.
   * @throws Error that says which step is missing
   */
  async requireFitWith(pool: OneConnection, keys: MemberKeys): Promise<void> {
    const membership = this.#membership === null ? null : { ...this.#membership, ...keys };
    let fitting: Ms = 0;
    for (let waited = 0; fitting < WAIT_MS; waited += LOOK_INTERVAL_MS) {
      const others = sessionsIn((await pool.read(LOOK)).rows);
      const conflict = this.#conflictOf(membership, others);
      if (conflict !== null && waited >= WAIT_MS) throw new Error(conflict);
      fitting = conflict === null ? fitting + LOOK_INTERVAL_MS : 0;
      await this.#pause();
    }
  }

  /**
   * Shows the others other keys, by sessions that `renew` makes in the place of all that are there.
   * Whoever comes meanwhile sees them, or is seen. That a key is not written with any more hinders
   * nobody, so it may be shown until its session ends by itself.
   * @throws Error when another one does not fit; what was shown before is shown again then
   */
  async show(pool: OneConnection, keys: MemberKeys, renew: () => Promise<unknown>): Promise<void> {
    const before = this.#membership;
    if (before === null) return;
    const isMore = [keys.keys, keys.writes].some((shown, place) => {
      const known = [before.keys, before.writes][place] ?? [];
      return shown.some((key) => !known.includes(key));
    });
    this.#become({ ...before, ...keys });
    if (!isMore) return void (await renew().catch(() => undefined));
    this.#isChanging = true;
    try {
      // A session that does not fit is not let in: why, is said by the look.
      const fault = await renew().then(() => null, asError);
      const conflict = this.#conflictWith(sessionsIn((await pool.read(LOOK)).rows));
      if (conflict !== null) throw new Error(conflict);
      if (fault !== null) throw fault;
    } catch (error) {
      this.#become(before);
      await renew().catch(() => undefined);
      throw error;
    } finally {
      this.#isChanging = false;
    }
  }

  #become(membership: Membership): void {
    this.#membership = membership;
    this.#take = takeCall(membership);
  }

  async #untilNobodyIsThere(pool: OneConnection): Promise<readonly OtherSession[]> {
    for (let waited = 0; waited < WAIT_MS; waited += LOOK_INTERVAL_MS) await this.#pause();
    return this.#othersBy(pool);
  }

  async #othersBy(pool: OneConnection): Promise<readonly OtherSession[]> {
    const sessions = sessionsIn((await pool.read(LOOK)).rows);
    return sessions.filter((session) => isInTheWay(session, this.#options.plainName));
  }

  /** A program that was killed, and others that lose their sessions for a moment, need some time. */
  async #untilItFits(connection: PostgresConnection): Promise<void> {
    for (let waited = 0; ; waited += LOOK_INTERVAL_MS) {
      const others = await this.#look(connection);
      const conflict = this.#conflictWith(others);
      const isSure = !this.#mayConflict || others.some(({ member }) => member !== null);
      if (conflict === null && (isSure || waited >= WAIT_MS)) return;
      if (waited >= WAIT_MS) this.#requireFit(others);
      await this.#pause();
    }
  }

  /** Whether it matters that an instance is overlooked. */
  get #mayConflict(): boolean {
    const membership = this.#membership;
    return membership !== null && (membership.strict !== null || membership.keys.length > 1);
  }

  #conflictWith(others: readonly OtherSession[]): string | null {
    return this.#conflictOf(this.#membership, others);
  }

  #conflictOf(member: Membership | null, others: readonly OtherSession[]): string | null {
    return member === null ? null : conflictOf(member, others, this.#options.plainName);
  }

  /** What is not certain yet is taken back, and is no reason to end. */
  #requireFit(others: readonly OtherSession[]): void {
    const conflict = this.#conflictWith(others);
    if (conflict !== null && this.#isChanging) throw new Error(conflict);
    if (conflict !== null) this.#refuse(conflict);
  }

  #requireEpoch(epoch: unknown): void {
    const found = typeof epoch === 'string' ? epoch : '';
    if (this.#epoch !== null && this.#epoch !== found) this.#refuse(WORKED_ALONE);
    this.#epoch = found;
  }

  #refuse(message: string): never {
    const refusal = new StoreOpenError('store.in_use', message);
    this.#refusal = refusal;
    this.#options.onRefused(refusal);
    throw refusal;
  }

  async #heldBy(connection: PostgresConnection): Promise<Error> {
    const holder = (await this.#look(connection)).find(({ isPresent }) => isPresent);
    const who = holder === undefined ? '' : ` (${holder.program}, process ${holder.pid})`;
    return new Error(`a command that has to be alone works on this database${who}`);
  }

  async #look(connection: PostgresConnection): Promise<readonly OtherSession[]> {
    const [seen] = await this.#ask(connection, [LOOK]);
    return sessionsIn(seen?.rows ?? []);
  }

  async #ask(connection: PostgresConnection, calls: readonly Call[]): Promise<readonly Answer[]> {
    const deadline = new Deadline(this.#options.timer, ANSWER_MS);
    deadline.whenOver(() => connection.destroy(deadline.reason));
    try {
      return await connection.send(calls).answers;
    } finally {
      deadline.clear();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#options.timer.after(LOOK_INTERVAL_MS, resolve));
  }
}

const asError = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));
