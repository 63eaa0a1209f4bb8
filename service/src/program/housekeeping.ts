import { TASKS } from '../audit/audit.ts';
import { BrokenAudit } from '../audit/broken-audit.ts';
import type { Clients } from '../account/clients.port.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';
import { MINUTE_MS, SECOND_MS, type Ms } from '../values/time.ts';
import { writeHeldSpoils } from '../attempt/browser/spoil.flow.ts';
import { cutAudit } from '../audit/cut-audit.flow.ts';
import { purge } from '../operate/purge.flow.ts';
import { trim } from '../operate/trim.flow.ts';
import { unreadiness, warningsOf } from '../operate/readiness.flow.ts';
import { writeRepeated } from '../audit/report.flow.ts';
import type { AuditHeadFile } from '../platform/files/audit-head-file.ts';
import { createScheduler } from '../platform/scheduler.ts';
import { keepHead, requireLastHead, StoreBehind } from '../operate/audit-head.ts';
import { showAuditStream } from '../operate/audit-stream.ts';
import { clearOutbox } from '../webhooks/tend.flow.ts';
import type { OpenMode, Runtime } from './mode.ts';

/** Short, because the salt of a redemption must be erased soon after its minute (decision 0005). */
const PURGE_INTERVAL_MS = 5 * SECOND_MS;
/** How soon a changed clock, a disk with space again, and a due report are noticed. */
const WATCH_INTERVAL_MS = SECOND_MS;

/**
 * Errors after which the row is written again. After an unknown outcome it may then exist twice,
 * which is better than not at all.
 */
const PASSING: ReadonlySet<ErrorCode> = new Set(['storage.unavailable', 'storage.outcome_unknown']);

export interface Housekeeping {
  /** Records the start of the service; on a full disk, as soon as there is space. */
  recordStart(): Promise<void>;
  /** Writes what is only in memory, and that the service has stopped. */
  recordStop(): Promise<void>;
  /** Runs every task at once, because a test has moved the time. */
  catchUp(): Promise<void>;
  stop(): Promise<void>;
}

/** The end of the audit log, as it is kept outside of the store. */
interface Head {
  readonly file: AuditHeadFile | null;
  /** Called when the store lacks rows that this instance, or another one, has seen. */
  readonly onBehind: (error: Error) => void;
}

/** Starts the work that the service does by itself, independent of requests. */
export function startHousekeeping(runtime: Runtime, mode: OpenMode, head: Head): Housekeeping {
  const { clock, store, logger } = runtime;
  const scheduler = createScheduler((error) => logger.error({ err: error }, 'housekeeping failed'));
  const { services } = mode.context;
  const watch = new Watch(runtime);
  const tasks = [
    scheduler.every(WATCH_INTERVAL_MS, () => watch.look()),
    ...[...modeTasks(runtime, mode, head), ...sharedTasks(runtime, head)].map(([interval, work]) =>
      scheduler.every(interval, async () => {
        // The watch has already logged the reason.
        if (store.health().ready) await work();
      }),
    ),
  ];
  return {
    async recordStart() {
      await watch.recordStart(clock.now());
      // While the database is away there is no head; it is written as soon as the store is ready.
      if (!store.health().ready) return;
      // May fail on a full disk, for example. It is written again every minute, and the log works
      // without it.
      await keepHead(runtime, head.file).catch((error: unknown) => {
        logger.error({ err: error }, 'the head of the audit log could not be kept');
      });
      // Otherwise read within a minute.
      await showLastSuccesses(runtime).catch(() => undefined);
      await showAuditStream(runtime).catch(() => undefined);
    },
    async recordStop() {
      await writeHeldSpoils(services, clock.now());
      await writeRepeated(services);
      await store.recordEvent({ at: clock.now(), action: 'service.stopped' });
      await keepHead(runtime, head.file);
    },
    async catchUp() {
      await Promise.all(tasks.map((task) => task.runNow()));
    },
    async stop() {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

type Task = readonly [interval: Ms, work: () => Promise<unknown>];

/** Work that is done only while the store accepts writes. */
function modeTasks(runtime: Runtime, mode: OpenMode, { file: headFile }: Head): readonly Task[] {
  const { config, clock, store } = runtime;
  const { retentionMs, retentionLimits, retentionAuditMs } = config;
  const { services } = mode.context;
  return [
    [PURGE_INTERVAL_MS, () => purge(store, retentionMs, clock.now())],
    [PURGE_INTERVAL_MS, () => store.dropLateTokens(clock.now())],
    [WATCH_INTERVAL_MS, async () => mode.deliverKept?.(clock.now())],
    [WATCH_INTERVAL_MS, async () => mode.collectDecided?.(clock.now(), clock.now())],
    [MINUTE_MS, () => trim(store, retentionLimits, clock.now())],
    [
      WATCH_INTERVAL_MS,
      async () => services.repeated.isDue(clock.now()) && writeRepeated(services),
    ],
    [WATCH_INTERVAL_MS, () => writeHeldSpoils(services, clock.now())],
    // Also where no client has a receiver any more.
    [MINUTE_MS, () => clearWebhooks(runtime, services.clients)],
    [MINUTE_MS, () => keepHead(runtime, headFile)],
    [MINUTE_MS, () => showLastSuccesses(runtime)],
    [MINUTE_MS, () => showAuditStream(runtime)],
    ...(retentionAuditMs === null
      ? []
      : [[MINUTE_MS, createAuditCut(runtime, retentionAuditMs)] as const]),
  ];
}

/** A receiver that fails gets one call at a time, so most of what waits for it ends here. */
async function clearWebhooks(
  { store, clock, meter, logger }: Runtime,
  clients: Clients,
): Promise<void> {
  const givenUp = await clearOutbox(store.outbox, clock.now());
  for (const { id: client, webhooks } of clients.all()) {
    for (const { id: receiver } of webhooks) {
      const count = givenUp.get(receiver) ?? 0;
      if (count === 0) continue;
      meter.webhookTried('given_up', count);
      logger.warn({ client, receiver, count }, 'webhooks were given up after 24 hours');
    }
  }
}

/**
 * Commands are other processes, perhaps on other machines, so their rows are read. Not when the
 * numbers are asked for: those are answered also while the store is away.
 */
async function showLastSuccesses({ store, meter, config }: Runtime): Promise<void> {
  const found = await store.lastSuccesses();
  for (const task of TASKS) {
    const at = found.get(task) ?? 0;
    // A database is copied by other tools, which tell nobody.
    if (at > 0 || task !== 'backup' || config.database === null) meter.lastSuccess(task, at);
  }
}

/** A log with a wrong row stays as it is for whoever looks into it, and the service goes on. */
function createAuditCut({ clock, store, meter, logger }: Runtime, retentionMs: Ms) {
  let told: string | null = null;
  return async (): Promise<void> => {
    try {
      await cutAudit(store, retentionMs, clock.now());
      told = null;
    } catch (error) {
      if (!(error instanceof BrokenAudit)) throw error;
      meter.count('miftah_audit_cut_refusals_total');
      if (told !== error.message) logger.error({ err: error }, 'the audit log is broken');
      told = error.message;
    }
  };
}

/** What an instance does because others may share its database. */
function sharedTasks(runtime: Runtime, head: Head): readonly Task[] {
  const { coordination, timekeeper } = runtime;
  const { readTime } = coordination;
  return [
    ...(runtime.config.database === null
      ? []
      : [[WATCH_INTERVAL_MS, () => watchHead(runtime, head)] as const]),
    ...(readTime === null
      ? []
      : [[WATCH_INTERVAL_MS, () => timekeeper.followDatabase(readTime)] as const]),
  ];
}

async function watchHead({ store, clock }: Runtime, { file, onBehind }: Head): Promise<void> {
  try {
    await requireLastHead({ store, isShared: true, at: clock.now() }, file);
  } catch (error) {
    if (!(error instanceof StoreBehind)) throw error;
    onBehind(error);
  }
}

/** Lets clock and store recover, and logs when the service becomes unready or ready again. */
class Watch {
  readonly #runtime: Runtime;
  #wasReady = true;
  #wasOff = false;
  #startedAt: Ms | null = null;
  #isWritingStart = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  async recordStart(at: Ms): Promise<void> {
    this.#startedAt = at;
    await this.#writeStart();
    this.#report();
  }

  async look(): Promise<void> {
    this.#runtime.timekeeper.follow();
    // Also before the recovery: a disk with space for its test write but little else should be
    // logged.
    this.#report();
    await this.#runtime.store.recover();
    this.#report();
    await this.#writeStart();
  }

  async #writeStart(): Promise<void> {
    const at = this.#startedAt;
    if (at === null || this.#isWritingStart || !this.#runtime.store.health().ready) return;
    // A write may take longer than the time until the next look.
    this.#isWritingStart = true;
    try {
      await this.#runtime.store.recordEvent({ at, action: 'service.started' });
      this.#startedAt = null;
    } catch (error) {
      if (!(error instanceof Refusal) || !PASSING.has(error.code)) throw error;
    } finally {
      this.#isWritingStart = false;
    }
  }

  #report(): void {
    const { store, timekeeper, logger } = this.#runtime;
    const failed = unreadiness(store, timekeeper);
    const isReady = failed.length === 0;
    this.#reportMachine();
    const isNews = isReady !== this.#wasReady;
    this.#wasReady = isReady;
    if (!isNews) return;
    if (isReady) logger.info('ready again');
    else logger.error({ failed }, 'not ready');
  }
  #reportMachine(): void {
    const { timekeeper, logger } = this.#runtime;
    const [warning] = warningsOf(timekeeper);
    const isOff = warning !== undefined;
    if (isOff && !this.#wasOff) logger.warn({ warning }, 'the clock of this machine is wrong');
    this.#wasOff = isOff;
  }
}
