import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { FakeTime, findFaketime } from '../../../../service/test/support/faults/faketime.ts';
import { PersonBrowser } from '../../../../service/test/support/live/person-browser.ts';
import { ask } from '../../../../service/test/support/postgres/databases.ts';
import { withClient } from '../../../../service/test/support/postgres/connection.ts';
import { sharedServer } from '../../../../service/test/support/postgres/door.ts';
import { listenerIdOf } from '../../../../service/test/support/outbound/webhook-receiver.ts';
import { ApiClient } from '../../../../service/test/support/programs/api-client.ts';
import { runMiftahProgram } from '../../../../service/test/support/programs/operator.ts';
import type { ServiceProcess } from '../../../../service/test/support/programs/service-process.ts';
import { until } from '../../../../service/test/support/programs/until.ts';
import { PROMETHEUS_PAUSE_MS, type Prometheus } from './prometheus.ts';
import { aMinuteLater, moveClock, VERIFY, type Watched } from './watched.ts';

/** What goes wrong, and the alarms that it raises. */
export interface Fault {
  readonly name: string;
  readonly raises: readonly string[];
  /** Is called again until the alarms are raised. */
  cause: (watched: Watched, prometheus: Prometheus) => Promise<void>;
  /** Brings back what others need. */
  end?: (watched: Watched) => Promise<void>;
}

const SOMEBODY = '1000002201';
/** A reserved number, whose signed result names another person. */
const ANOTHER_PERSON = '1900000053';
/** One whose signed result is for somebody else's service. */
const ANOTHER_AUDIENCE = '1900000051';
const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = $1 AND pid <> pg_backend_pid()`;

/** In an order in which none raises the alarm of a later one. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'a reader of the audit log that stands still',
    raises: ['MiftahAuditStreamBehind'],
    cause: leaveAuditLog,
  },
  {
    name: 'a person who is sent push after push',
    raises: ['MiftahPushesHeldBack'],
    cause: ({ alone }) =>
      times(30, alone, (client) => client.post('/start', { locale: 'en', national_id: SOMEBODY })),
  },
  {
    name: 'a link that others open too',
    raises: ['MiftahForeignBrowsers'],
    cause: openElsewhere,
  },
  {
    name: 'a provider that names another person',
    raises: ['MiftahWrongPerson'],
    cause: async ({ bank }) => void (await bank.start({ national_id: ANOTHER_PERSON })),
  },
  {
    name: 'a provider that signs for another audience',
    raises: ['MiftahTokensRefused'],
    cause: async ({ bank }) => void (await bank.start({ national_id: ANOTHER_AUDIENCE })),
  },
  {
    name: 'an application that redeems nothing',
    raises: ['MiftahSignInsFail'],
    cause: ({ alone }) => times(20, alone, (client) => client.post('/start', { locale: 'en' })),
  },
  {
    name: 'a provider that answers 500 every other time',
    raises: ['MiftahProviderErrors', 'MiftahErrors'],
    cause: failEveryOther,
  },
  {
    name: 'a provider that answers 500 each time',
    raises: ['MiftahProviderRefused'],
    async cause({ rehearsal, bank }) {
      await setFaults(rehearsal.simulator, [{ operation: 'session', status: 500 }]);
      for (let starts = 0; starts < 6; starts += 1) await bank.start({});
    },
  },
  { name: 'more who wait than places', raises: ['MiftahNoPlaceToWait'], cause: waitTogether },
  {
    name: 'a process that the machine stops again and again',
    raises: ['MiftahEventLoopLag'],
    cause: stopAndGo,
  },
  {
    name: 'a table that somebody locks',
    raises: ['MiftahOverloaded', 'MiftahSlowAnswers', 'MiftahSlowStore'],
    cause: lockAttempts,
  },
  {
    name: 'a program that stops reading the log',
    raises: ['MiftahLogNotWritten'],
    async cause({ alone, logReader }) {
      logReader.standStill();
      await times(100, alone, (client) => client.send('GET', '/livez'));
    },
    end: async ({ logReader }) => logReader.goOn(),
  },
  {
    name: 'a task that has last gone well 27 hours ago',
    raises: ['MiftahTaskOverdue'],
    cause: verifyEarlier,
  },
  {
    name: 'a store without a row of its backups',
    raises: ['MiftahTaskNever'],
    cause: forgetBackups,
  },
  {
    name: 'a receiver of webhooks that is away, and one that is switched off',
    raises: ['MiftahWebhooksLate', 'MiftahWebhooksGivenUp'],
    cause: leaveWebhooks,
  },
  {
    name: 'a share that is not mounted, and a row of the audit log that somebody has changed',
    raises: ['MiftahAuditHeadNotWritten', 'MiftahAuditLogBroken'],
    cause: unmountHead,
    end: async ({ headFolder }) => void mkdirSync(headFolder, { recursive: true }),
  },
  {
    name: 'a clock that is set back',
    raises: ['MiftahClockAhead'],
    cause: async ({ time }) => time.set(-20),
    end: async ({ time }) => time.set(0),
  },
  {
    name: 'a database that nobody may use',
    raises: ['MiftahNotReady'],
    cause: (watched) => allowDatabase(watched, false),
    async end(watched) {
      await allowDatabase(watched, true);
      await until(() => isReady(watched.shared));
    },
  },
  { name: 'connections that break', raises: ['MiftahDatabaseLost'], cause: breakConnections },
];

/** After these, instances are gone. */
export const KILLS: readonly Fault[] = [
  {
    name: 'an instance that was killed',
    raises: ['MiftahInstanceDown'],
    cause: async ({ alone }) => void (await alone.kill()),
  },
  {
    name: 'an instance that is killed after each start',
    raises: ['MiftahRestarting'],
    cause: startAndKill,
  },
  {
    name: 'all instances killed',
    raises: ['MiftahDown'],
    cause: async ({ rehearsal, shared }) =>
      void (await Promise.all([rehearsal.service.kill(), shared.kill()])),
  },
];

/** Sign-ins have written rows that nobody has read. The clock is moved once, for later faults. */
async function leaveAuditLog({ alone }: Watched, prometheus: Prometheus): Promise<void> {
  const isBehind = async () =>
    (await prometheus.ask('miftah_audit_stream_behind_seconds > 300')).length > 0;
  if (await isBehind()) return;
  await moveClock(alone, '6m');
  await until(isBehind, PROMETHEUS_PAUSE_MS);
}

async function times(
  count: number,
  { origin }: ServiceProcess,
  work: (client: ApiClient) => Promise<unknown>,
): Promise<void> {
  const client = new ApiClient(origin);
  try {
    await Promise.all(Array.from({ length: count }, () => work(client)));
  } finally {
    client.close();
  }
}

async function openElsewhere({ bank }: Watched): Promise<void> {
  const { authorization_url: link } = await bank.startRedirect();
  const [own, other] = [new PersonBrowser(), new PersonBrowser()];
  const [page, same] = [await own.open(link), await other.open(link)];
  await own.press(page);
  for (let presses = 0; presses < 15; presses += 1) await other.press(same);
}

async function failEveryOther({ rehearsal: { simulator }, bank }: Watched): Promise<void> {
  for (let starts = 0; starts < 4; starts += 1) {
    await setFaults(simulator, [{ operation: 'session', status: 500 }]);
    await bank.start({});
    await setFaults(simulator, []);
    await bank.start({});
  }
}

async function setFaults({ origin }: ServiceProcess, faults: readonly object[]): Promise<void> {
  const answer = await fetch(`${origin}/simulator/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ faults }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

async function waitTogether({ alone }: Watched): Promise<void> {
  await times(8, alone, async (client) => {
    const { attempt_id: id, attempt_token: token } = await client.start({ locale: 'en' });
    const headers = { 'x-provider-attempt-token': token };
    await client.get(`/status/${id}?wait=1`, headers);
  });
}

/** It has time to answer Prometheus in between. */
async function stopAndGo({ alone }: Watched): Promise<void> {
  for (let stops = 0; stops < 4; stops += 1) {
    alone.signal('SIGSTOP');
    await wait(300);
    alone.signal('SIGCONT');
    await wait(150);
  }
}

async function lockAttempts({ shared, database }: Watched): Promise<void> {
  const start = () => times(40, shared, (client) => client.post('/start', { locale: 'en' }));
  await withClient(database, async (client) => {
    await client.query('BEGIN');
    await client.query('LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE');
    const first = start();
    await wait(600);
    const second = start();
    await wait(900);
    await client.query('COMMIT');
    await Promise.all([first, second]);
  });
}

/** Both are looked at by the work of each minute. */
async function unmountHead({ alone, headFolder }: Watched): Promise<void> {
  rmSync(headFolder, { recursive: true, force: true });
  ageFirstRow(alone.dataDir);
  await aMinuteLater(alone);
}

function ageFirstRow(dataDir: string): void {
  change(dataDir, 'never_changes', 'UPDATE audit_log SET at = 1 WHERE sequence = 1');
}

/** @param trigger the one that would keep the statement from the audit log */
function change(dataDir: string, trigger: string, sql: string): void {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { timeout: 10_000 });
  database.exec(`DROP TRIGGER IF EXISTS audit_log_${trigger}; ${sql}`);
  database.close();
}

const DAY_AND_MORE_S = 27 * 3600;

/** By a program whose clock is that far behind. */
async function verifyEarlier({ alone, settingsOfAlone }: Watched): Promise<void> {
  const earlier = new FakeTime(findFaketime() ?? '');
  earlier.set(-DAY_AND_MORE_S);
  const settings = { ...settingsOfAlone, ...earlier.environment, DATA_DIR: alone.dataDir };
  const { code, err } = await runMiftahProgram(VERIFY, settings);
  if (code !== 0) throw new Error(err);
  await aMinuteLater(alone);
}

async function forgetBackups({ alone }: Watched): Promise<void> {
  const sql = "DELETE FROM audit_log WHERE action = 'store.backed_up'";
  change(alone.dataDir, 'never_shrinks', sql);
  await aMinuteLater(alone);
}

const HOUR_MS = 3_600_000;
const LISTENER = listenerIdOf('simulator');

/** Whoever listens to webhooks has the service look at what waits, and is the only receiver. */
async function leaveWebhooks({ alone }: Watched): Promise<void> {
  await fetch(`${alone.origin}/simulator/webhooks?timeout=0`);
  const database = new DatabaseSync(join(alone.dataDir, 'miftah.db'), { timeout: 10_000 });
  try {
    const [old, later] = [Date.now() - 2 * HOUR_MS, Date.now() + HOUR_MS];
    database
      .prepare(
        `INSERT OR IGNORE INTO webhook_deliveries
         (delivery_id, client, receiver, event, at, since, tries, next_at)
         VALUES ('left', 'simulator', ?, 'user.disabled', ?, ?, 9, ?)`,
      )
      .run(LISTENER, old, old, later);
    database
      .prepare(`INSERT OR IGNORE INTO webhooks_off (receiver, client, at) VALUES (?, 'a', ?)`)
      .run(LISTENER, old);
  } finally {
    database.close();
  }
}

async function allowDatabase({ database }: Watched, isAllowed: boolean): Promise<void> {
  const { url } = await sharedServer();
  const name = new URL(database).pathname.slice(1);
  await ask(url, `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isAllowed}`);
  if (!isAllowed) await ask(url, TERMINATE, [name]);
}

async function breakConnections(watched: Watched): Promise<void> {
  const { url } = await sharedServer();
  await ask(url, TERMINATE, [new URL(watched.database).pathname.slice(1)]);
  const { origin } = watched.shared;
  await until(async () => {
    const client = new ApiClient(origin);
    const { status } = await client.post('/start', { locale: 'en' });
    client.close();
    return status === 200;
  });
}

async function isReady({ origin }: ServiceProcess): Promise<boolean> {
  return (await fetch(`${origin}/readyz`)).ok;
}

async function startAndKill(watched: Watched, prometheus: Prometheus): Promise<void> {
  const again = await watched.startAlone();
  await prometheus.untilRead(watched.targets.length);
  await again.kill();
  const isSeen = async () => (await prometheus.ask('up == 1')).length < watched.targets.length;
  await until(isSeen, PROMETHEUS_PAUSE_MS);
}
