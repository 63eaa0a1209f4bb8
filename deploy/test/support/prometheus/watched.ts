import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder, type AtEnd } from '../../../../service/test/support/at-end.ts';
import { LogReader } from '../../../../service/test/support/faults/log-reader.ts';
import { FakeTime, findFaketime } from '../../../../service/test/support/faults/faketime.ts';
import { LiveClient } from '../../../../service/test/support/live/live-client.ts';
import {
  BANK_KEY,
  rehearseApart,
  type Rehearsal,
} from '../../../../service/test/support/live/rehearsal.ts';
import { emptyDatabase } from '../../../../service/test/support/postgres/databases.ts';
import { runMiftah } from '../../../../service/test/support/programs/operator.ts';
import { ApiClient } from '../../../../service/test/support/programs/api-client.ts';
import {
  findFreePort,
  startService,
  type ServiceOptions,
  type ServiceProcess,
} from '../../../../service/test/support/programs/service-process.ts';

/** Services of each kind that Prometheus watches. */
export interface Watched {
  /** Live mode, with the stand-alone simulator as its provider. */
  readonly rehearsal: Rehearsal<ServiceProcess>;
  readonly bank: LiveClient;
  /** On PostgreSQL. */
  readonly shared: ServiceProcess;
  readonly database: string;
  /** On a file, with a clock that can be moved. */
  readonly alone: ServiceProcess;
  readonly time: FakeTime;
  readonly settingsOfAlone: Readonly<Record<string, string>>;
  /** The folder of its AUDIT_HEAD_FILE. */
  readonly headFolder: string;
  /** What reads its log until it is started again. */
  readonly logReader: LogReader;
  readonly targets: readonly string[];
  /** Starts `alone` again after it was killed. */
  startAlone(): Promise<ServiceProcess>;
}

export async function openWatched(atEnd: AtEnd): Promise<Watched> {
  const ports = await Promise.all([1, 2, 3].map(() => findFreePort()));
  const [live = {}, postgres = {}, file = {}] = ports.map((port) => ({
    METRICS_PORT: String(port),
  }));
  const [rehearsal, database] = await Promise.all([
    rehearseApart({ settings: live }),
    emptyDatabase(atEnd),
  ]);
  atEnd(async () => rehearsal[Symbol.asyncDispose]());
  const shared = await startService({
    settings: { ...postgres, DATABASE_URL: database, SECRET_KEY: 'ab'.repeat(32) },
  });
  atEnd(async () => void (await shared.kill()));
  const headFolder = join(temporaryFolder('head', atEnd), 'head');
  mkdirSync(headFolder);
  const time = new FakeTime(findFaketime() ?? '');
  const settingsOfAlone = { ...file, ...settingsWith(headFolder, time) };
  const options: ServiceOptions = { settings: settingsOfAlone };
  const logReader = new LogReader();
  atEnd(() => logReader[Symbol.dispose]());
  const alone = await startService({ ...options, output: logReader.descriptor });
  logReader.handOver();
  const started = [alone];
  await runTasks({ ...settingsOfAlone, DATA_DIR: alone.dataDir });
  await aMinuteLater(alone);
  atEnd(async () => void (await Promise.all(started.map((one) => one.kill()))));
  const { dataDir, port } = alone;
  return {
    rehearsal,
    bank: new LiveClient(rehearsal, BANK_KEY),
    shared,
    database,
    alone,
    time,
    settingsOfAlone,
    headFolder,
    logReader,
    targets: ports.map((one) => `127.0.0.1:${one}`),
    async startAlone() {
      const again = await startService({ ...options, dataDir, port });
      started.push(again);
      return again;
    },
  };
}

/** What the timers of an operator run each day, by no clock that a test moves. */
async function runTasks(settings: Record<string, string>): Promise<void> {
  const backups = join(settings['DATA_DIR'] ?? '', 'backups');
  const read = ['audit', '--cursor', settings['AUDIT_CURSOR_FILE'] ?? ''];
  for (const task of [['backup', '--into', backups], ['doctor', '--record'], VERIFY, read]) {
    const { code, out, err } = await runMiftah(task, settings);
    if (code !== 0) throw new Error(out + err);
  }
}

export const VERIFY = ['audit', '--verify', '--record'] as const;

/** What the service does each minute is done: the clock of its simulation is moved there. */
export const aMinuteLater = (service: ServiceProcess) => moveClock(service, '61s');

export async function moveClock({ origin }: ServiceProcess, advance: string): Promise<void> {
  const { status } = await fetch(`${origin}/simulator/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance }),
  });
  if (status !== 200) throw new Error(`the clock was not moved: ${status}`);
}

function settingsWith(headFolder: string, time: FakeTime): Record<string, string> {
  return {
    ...time.environment,
    BUDGETS: 'on',
    AUDIT_HEAD_FILE: join(headFolder, 'audit-head'),
    AUDIT_CURSOR_FILE: join(dirname(headFolder), 'cursor'),
    RETENTION_AUDIT: '30d',
    WAITERS_MAX: '2',
    WAITERS_PER_CLIENT: '2',
    WAITERS_PER_ADDRESS: '2',
  };
}

/** A whole sign-in by browser in simulator mode. */
export async function signIn({ origin }: ServiceProcess): Promise<void> {
  const client = new ApiClient(origin);
  try {
    const attempt = await client.start({ locale: 'en' });
    await client.post('/callback', { state: attempt.attempt_id, auto_complete: true });
    await client.token(attempt);
  } finally {
    client.close();
  }
}
