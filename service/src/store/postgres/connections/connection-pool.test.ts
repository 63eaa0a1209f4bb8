import { describe, expect, test } from 'vitest';
import type { Timer } from '../../../platform/runtime.port.ts';
import { ConnectionPool, type ConnectionPoolOptions, type Pooled } from './connection-pool.ts';
import { Deadline } from './deadline.ts';

/** Time that passes only when the test says so. */
class HeldTimer implements Timer {
  #planned: { readonly ms: number; readonly work: () => void }[] = [];

  after(ms: number, work: () => void): () => void {
    const one = { ms, work };
    this.#planned.push(one);
    return () => void (this.#planned = this.#planned.filter((other) => other !== one));
  }

  get pauses(): readonly number[] {
    return this.#planned.map(({ ms }) => ms);
  }

  /** Only those that were planned for so long. */
  async passOnly(ms: number): Promise<void> {
    const due = this.#planned.filter((one) => one.ms === ms);
    this.#planned = this.#planned.filter((one) => one.ms !== ms);
    for (const { work } of due) work();
    await settled();
  }

  async pass(): Promise<void> {
    for (const { work } of this.#planned.splice(0)) work();
    await settled();
  }
}

class FakeConnection implements Pooled {
  isBroken = false;
  isEnded = false;
  #react: () => void = () => undefined;

  whenBroken(react: () => void): void {
    this.#react = react;
  }

  destroy(): void {
    if (this.isBroken) return;
    this.isBroken = true;
    this.#react();
  }

  async end(): Promise<void> {
    this.isEnded = true;
  }
}

/** A server that admits connections while `isUp`. */
class FakeServer {
  isUp = true;
  attempts = 0;
  readonly connections: FakeConnection[] = [];

  async connect(): Promise<FakeConnection> {
    this.attempts += 1;
    if (!this.isUp) throw new Error('nobody listens');
    const connection = new FakeConnection();
    this.connections.push(connection);
    return connection;
  }
}

function setUp(options: Partial<ConnectionPoolOptions<FakeConnection>> = {}, isUp = true) {
  const server = new FakeServer();
  server.isUp = isUp;
  const timer = new HeldTimer();
  const pool = new ConnectionPool<FakeConnection>({
    connect: () => server.connect(),
    timer,
    jitter: () => 1,
    size: 2,
    maxWaiting: 10,
    backOffMs: 100,
    maxBackOffMs: 1000,
    onChange: () => undefined,
    ...options,
  });
  const acquire = (within = new Deadline(new HeldTimer(), 1000)) => pool.acquire(within);
  return { server, timer, pool, acquire };
}

/** Lets all pending callbacks run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('a pool of connections', () => {
  test('makes one at the start, and further ones only when they are needed', async () => {
    const { server, pool, acquire } = setUp();
    await settled();
    expect(server.attempts).toBe(1);
    const [first, second] = await Promise.all([acquire(), acquire()]);
    expect(server.attempts).toBe(2);
    const third = acquire();
    await settled();
    expect(pool.figures).toEqual({ open: 2, inUse: 2, waiting: 1, reconnects: 0 });
    pool.release(first);
    expect(await third).toBe(first);
    pool.release(second);
    expect(pool.figures).toEqual({ open: 2, inUse: 1, waiting: 0, reconnects: 0 });
  });

  test('is made anew as a whole: what is in use, when it comes back', async () => {
    const { server, timer, pool, acquire } = setUp();
    const [used, other] = await Promise.all([acquire(), acquire()]);
    pool.release(other);
    let isDone = false;
    const renewal = pool.renew().then(() => (isDone = true));
    await settled();
    expect([used, other].map(({ isEnded }) => isEnded)).toEqual([false, true]);
    const next = acquire();
    await settled();
    expect(await next).toBe(server.connections[2]);
    await timer.pass();
    expect(isDone).toBe(false);
    pool.release(used);
    await timer.pass();
    await renewal;
    expect(used.isEnded).toBe(true);
  });

  test('made anew, it does not take a connection that was under way', async () => {
    const { promise, resolve } = Promise.withResolvers<FakeConnection>();
    const made = [promise, Promise.resolve(new FakeConnection())];
    const { pool, acquire } = setUp({ connect: async () => made.shift() ?? new FakeConnection() });
    const late = new FakeConnection();
    const waiting = acquire();
    await pool.renew();
    resolve(late);
    expect(await waiting).not.toBe(late);
    expect(late.isBroken).toBe(true);
  });

  test('waits longer after each failure, up to a limit, and half of it by chance', async () => {
    const chances = [0, 1, 1, 1, 1, 1];
    const { server, timer } = setUp({ jitter: () => chances.shift() ?? 0 }, false);
    await settled();
    const pauses: (number | undefined)[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      pauses.push(timer.pauses[0]);
      expect(timer.pauses).toHaveLength(1);
      await timer.pass();
    }
    expect(pauses).toEqual([50, 200, 400, 800, 1000, 1000]);
    expect(server.attempts).toBe(7);
  });

  test('gives a silent server up for all, and tries at once to reach it again', async () => {
    const { server, timer, pool, acquire } = setUp();
    const [first, second] = await Promise.all([acquire(), acquire()]);
    const waiting = expect(acquire()).rejects.toMatchObject({ code: 'storage.unavailable' });
    pool.giveUp('silence');
    const late = expect(acquire()).rejects.toMatchObject({ code: 'storage.unavailable' });
    expect(pool.fault).toBe('silence');
    expect([first.isBroken, second.isBroken]).toEqual([true, true]);
    await Promise.all([waiting, late]);
    expect(timer.pauses).toEqual([]);
    await settled();
    expect(server.attempts).toBe(3);
    expect(await acquire()).toBe(server.connections[2]);
  });

  test('refuses at once while the server stays away, and heals by itself', async () => {
    const { server, timer, pool, acquire } = setUp({}, false);
    const early = expect(acquire()).rejects.toMatchObject({ code: 'storage.unavailable' });
    await settled();
    await timer.pass();
    expect(pool.figures.waiting).toBe(1);
    await timer.pass();
    await early;
    await expect(acquire()).rejects.toMatchObject({ code: 'storage.unavailable' });
    expect(pool.fault).toBe('nobody listens');
    expect(server.attempts).toBe(3);
    server.isUp = true;
    await timer.pass();
    expect(pool.fault).toBeNull();
    pool.release(await acquire());
  });

  test('who waits while a connection can not be made at once gets the next one', async () => {
    const { server, timer, acquire } = setUp({}, false);
    const early = acquire();
    await settled();
    server.isUp = true;
    await timer.pass();
    expect(await early).toBe(server.connections[0]);
  });

  test('a lost connection is replaced at once when it had been of use', async () => {
    const { server, pool, acquire } = setUp();
    pool.release(await acquire());
    server.connections[0]?.destroy();
    const next = await acquire();
    expect(next).toBe(server.connections[1]);
    expect(pool.figures.reconnects).toBe(1);
  });

  test('a server that ends each new connection is not asked all the time', async () => {
    const { server, timer } = setUp();
    await settled();
    server.connections[0]?.destroy();
    await settled();
    server.connections[1]?.destroy();
    await settled();
    expect(server.attempts).toBe(2);
    expect(timer.pauses).toEqual([200]);
    await timer.pass();
    expect(server.attempts).toBe(3);
  });

  test('a broken connection that comes back is handed to nobody', async () => {
    const { server, pool, acquire } = setUp({ size: 1 });
    const first = await acquire();
    const next = acquire();
    first.destroy();
    pool.release(first);
    expect(await next).toBe(server.connections[1]);
    expect(pool.figures).toEqual({ open: 1, inUse: 1, waiting: 0, reconnects: 1 });
  });

  test('those that nobody uses are dropped together', async () => {
    const { server, pool, acquire } = setUp();
    const both = await Promise.all([acquire(), acquire()]);
    for (const connection of both) pool.release(connection);
    pool.dropIdle('one of them was lost');
    expect(server.connections.slice(0, 2).every(({ isBroken }) => isBroken)).toBe(true);
    await settled();
    expect(server.attempts).toBeGreaterThan(2);
  });

  test('who waits longer than the deadline is refused, and gets no connection later', async () => {
    const { pool, acquire } = setUp({ size: 1 });
    const first = await acquire();
    const timer = new HeldTimer();
    const deadline = new Deadline(timer, 1000);
    const late = expect(acquire(deadline)).rejects.toMatchObject({ code: 'storage.unavailable' });
    await timer.pass();
    await late;
    await expect(acquire(deadline)).rejects.toMatchObject({ code: 'storage.unavailable' });
    pool.release(first);
    expect(pool.figures).toMatchObject({ inUse: 0, waiting: 0 });
  });

  test('close waits for what is in use, and a connection that comes late is not kept', async () => {
    const { server, pool, acquire } = setUp();
    const first = await acquire();
    const waiting = acquire();
    const closed = pool.close();
    await expect(waiting).rejects.toMatchObject({ code: 'storage.unavailable' });
    await expect(acquire()).rejects.toMatchObject({ code: 'storage.unavailable' });
    await settled();
    expect(first.isEnded).toBe(false);
    pool.release(first);
    await closed;
    expect(server.connections.map(({ isEnded, isBroken }) => isEnded || isBroken)).toEqual([
      true,
      true,
    ]);
  });
});

describe('the ages of connections', () => {
  const ages = { idleMs: 60, kept: 1, lifetimeMs: 1000 };

  test('what nobody needed since the last look is closed, but for those that are kept', async () => {
    const { server, timer, pool, acquire } = setUp({ ages, size: 3 });
    const used = await Promise.all([acquire(), acquire(), acquire()]);
    for (const connection of used) pool.release(connection);
    await timer.passOnly(60);
    // All three were needed at some moment since the look before.
    expect(pool.figures.open).toBe(3);
    pool.release(await acquire());
    await timer.passOnly(60);
    expect(pool.figures.open).toBe(1);
    expect(server.connections.filter(({ isEnded }) => isEnded)).toHaveLength(2);
    expect(used.at(-1)?.isEnded).toBe(false);
  });

  test('an old connection is replaced before it is closed, and not while it is used', async () => {
    const { server, timer, pool, acquire } = setUp({ ages });
    const first = await acquire();
    await timer.passOnly(750);
    expect(first.isEnded).toBe(false);
    pool.release(first);
    expect(pool.fault).toBe(null);
    await settled();
    expect(first.isEnded).toBe(true);
    expect(server.connections).toHaveLength(2);
    expect(pool.figures).toMatchObject({ open: 1, inUse: 0, reconnects: 0 });
  });

  test('the last connection stays, however old, while there is no other', async () => {
    const { server, timer, pool, acquire } = setUp({ ages });
    pool.release(await acquire());
    server.isUp = false;
    await timer.passOnly(750);
    expect(pool.fault).toBe(null);
    const again = await acquire();
    expect(again).toBe(server.connections[0]);
    pool.release(again);
  });

  test('a pool that is closed leaves no timer', async () => {
    const { timer, pool, acquire } = setUp({ ages });
    pool.release(await acquire());
    await pool.close();
    expect(timer.pauses).toEqual([]);
  });
});
