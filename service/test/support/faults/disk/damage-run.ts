import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore, StoreOpenError } from '../../../../src/store/index.ts';
import { serviceFolder } from '../../canaries/run-folder.ts';
import { folderInMemory } from '../../in-memory.ts';
import { startService } from '../../programs/service-process.ts';
import { until } from '../../programs/until.ts';
import { History } from '../history.ts';
import { seededRandom, type SeededRandom } from '../seeded-random.ts';
import { runTraffic } from '../traffic.ts';

const WRITERS = 8;
const ANSWERS = 250;
const DATABASE = 'miftah.db';
const LOG = 'miftah.db-wal';

/** What was done to a store, as the figures name it. */
export type Damage =
  | 'a byte of the database'
  | 'the database cut off'
  | 'a byte of the log'
  | 'a byte in the first three quarters of the log'
  | 'the log cut off'
  | 'another file';

/** What the store made of it. */
export type Verdict =
  /** It does not open, and says why. */
  | 'refused'
  /** Every row is as before. */
  | 'whole'
  /** Every row is there, and a value differs. */
  | 'changed'
  /** Rows are missing. */
  | 'missing';

export interface DamageReport {
  readonly tried: number;
  readonly attempts: number;
  readonly tokens: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

interface KnownStores {
  /** After an orderly end: everything is in the database. */
  readonly ended: string;
  /** After a kill: the end is in the write-ahead log. */
  readonly killed: string;
  readonly history: History;
}

/** Damages copies of a store with known rows, and opens each. */
export async function runDamage(count: number, seed: number): Promise<DamageReport> {
  const random = seededRandom(seed);
  const known = await makeStores(random);
  const verdicts = new Map<string, number>();
  const violations: string[] = [];
  const whole = { ended: await rowsOf(known.ended), killed: await rowsOf(known.killed) };
  const steps = Array.from({ length: count }, () => DAMAGES).flat();
  for (const { damage, of, apply, allowed } of steps) {
    const folder = copyOf(known[of]);
    const what = apply(folder, random);
    const { verdict, because } = await judge(folder, whole[of]);
    rmSync(folder, { recursive: true });
    const key = `${damage}: ${verdict}`;
    verdicts.set(key, (verdicts.get(key) ?? 0) + 1);
    if (because !== null) violations.push(`${damage}, ${what}: ${because}`);
    else if (!allowed.includes(verdict)) violations.push(`${damage}, ${what}: ${verdict}`);
  }
  const { attempts } = known.history;
  return {
    tried: steps.length,
    attempts: attempts.length,
    tokens: attempts.filter(({ tokens }) => tokens.size > 0).length,
    verdicts: Object.fromEntries(verdicts),
    violations,
  };
}

interface DamageKind {
  readonly damage: Damage;
  readonly of: 'ended' | 'killed';
  /** Damages the store in the folder. @returns where */
  readonly apply: (folder: string, random: SeededRandom) => string;
  readonly allowed: readonly Verdict[];
}

const DAMAGES: readonly DamageKind[] = [
  {
    damage: 'a byte of the database',
    of: 'ended',
    apply: (folder, random) => flip(join(folder, DATABASE), random),
    // SQLite has no checksum of a page, so a value can change unnoticed.
    allowed: ['refused', 'whole', 'changed'],
  },
  {
    damage: 'the database cut off',
    of: 'ended',
    apply: (folder, random) => cutOff(join(folder, DATABASE), random),
    allowed: ['refused'],
  },
  {
    damage: 'a byte of the log',
    of: 'killed',
    apply: (folder, random) => flip(join(folder, LOG), random),
    // The log ends where its checksum does not fit, as after a power cut.
    allowed: ['refused', 'whole', 'changed', 'missing'],
  },
  {
    damage: 'a byte in the first three quarters of the log',
    of: 'killed',
    apply: (folder, random) => flip(join(folder, LOG), random, 0.75),
    // Flushed commits follow, so that it can't be what a power cut left.
    allowed: ['refused'],
  },
  {
    damage: 'the log cut off',
    of: 'killed',
    apply: (folder, random) => cutOff(join(folder, LOG), random),
    allowed: ['refused', 'whole', 'changed', 'missing'],
  },
  {
    damage: 'another file',
    of: 'ended',
    apply: (folder, random) => replace(join(folder, DATABASE), random),
    allowed: ['refused'],
  },
];

async function makeStores(random: SeededRandom): Promise<KnownStores> {
  const history = new History();
  const first = await startService();
  const { dataDir } = first;
  const load = async (origin: string, isOver: (() => boolean) | undefined) => {
    const traffic = { origins: [origin], writers: WRITERS, history, random };
    await runTraffic(isOver === undefined ? traffic : { ...traffic, isOver });
  };
  await load(first.origin, () => history.answers >= ANSWERS);
  await first.stop();
  const ended = join(serviceFolder('ended'), 'data');
  cpSync(dataDir, ended, { recursive: true });
  const second = await startService({ dataDir });
  const traffic = load(second.origin, undefined);
  await until(() => history.answers >= 2 * ANSWERS);
  await second.kill();
  await traffic;
  return { ended, killed: dataDir, history };
}

function copyOf(dataDir: string): string {
  const folder = folderInMemory('damaged');
  for (const name of [DATABASE, LOG]) {
    if (existsSync(join(dataDir, name))) cpSync(join(dataDir, name), join(folder, name));
  }
  return folder;
}

/** @param share how much of the file, from its beginning, may be changed */
function flip(file: string, random: SeededRandom, share = 1): string {
  const bytes = readFileSync(file);
  const at = random.between(0, Math.floor(share * bytes.length) - 1);
  bytes[at] = (bytes[at] ?? 0) ^ random.between(1, 255);
  writeFileSync(file, bytes);
  return `byte ${at}`;
}

function cutOff(file: string, random: SeededRandom): string {
  const bytes = readFileSync(file);
  const length = random.between(0, bytes.length - 1);
  writeFileSync(file, bytes.subarray(0, length));
  return `${length} of ${bytes.length} bytes`;
}

const LETTER = 'This is a letter and no database.\n';

function replace(file: string, random: SeededRandom): string {
  rmSync(file);
  if (random.chance(0.5)) {
    writeFileSync(file, LETTER.repeat(random.between(1, 1000)));
    return 'a text';
  }
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE songs (title TEXT) STRICT; INSERT INTO songs VALUES (NULL)');
  database.close();
  return 'a database of another program';
}

type Rows = ReadonlyMap<string, readonly string[]>;

async function judge(
  folder: string,
  before: Rows,
): Promise<{ verdict: Verdict; because: string | null }> {
  try {
    const after = await openedRows(folder);
    const integrity = integrityOf(folder);
    const because = integrity === 'ok' ? null : `opened, and SQLite finds: ${integrity}`;
    return { verdict: compare(before, after), because };
  } catch (error) {
    const isTold = error instanceof StoreOpenError && /\. [A-Z].+\.$/.test(error.message);
    return {
      verdict: 'refused',
      because: isTold ? null : `refused without advice: ${String(error)}`,
    };
  }
}

async function rowsOf(dataDir: string): Promise<Rows> {
  const folder = copyOf(dataDir);
  const rows = await openedRows(folder);
  rmSync(folder, { recursive: true });
  return rows;
}

/** Everything that is in the tables after the store was opened and closed. */
async function openedRows(folder: string): Promise<Rows> {
  const store = await openSqliteStore({ directory: folder, onPoisoned: () => undefined });
  const health = store.health();
  await store.close();
  if (!health.ready) throw new Error('the store opens, and is not ready');
  return withDatabase(folder, (database) => {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const names = tables.map(({ name }) => String(name));
    return new Map(
      names.map((name) => {
        const rows = database.prepare(`SELECT * FROM "${name}" NOT INDEXED`).all();
        return [name, rows.map((row) => JSON.stringify(row)).toSorted()];
      }),
    );
  });
}

function integrityOf(folder: string): string {
  return withDatabase(folder, (database) => {
    const [first = {}] = database.prepare('PRAGMA integrity_check').all();
    return String(first['integrity_check']);
  });
}

function withDatabase<Result>(folder: string, use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(join(folder, DATABASE));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function compare(before: Rows, after: Rows): Verdict {
  const isMissing = [...before].some(
    ([name, rows]) => (after.get(name)?.length ?? 0) < rows.length,
  );
  if (isMissing) return 'missing';
  const isSame = [...before].every(([name, rows]) => {
    const now = after.get(name) ?? [];
    return rows.every((row, place) => row === now[place]);
  });
  return isSame ? 'whole' : 'changed';
}
