import type { AuditVerdict } from '../../audit/audit-chain.ts';
import { StoreOpenError } from '../store-fault.ts';
import {
  DROP_FENCE,
  type Fence,
  fenceIn,
  literal,
  READ_NAMES,
  requireNoFence,
  SET_FENCE,
} from './fence.ts';
import { isAddition } from './migration.ts';
import { ENDS_OF_LOG, MOVED_TABLES, type MovedTable } from './moved-tables.ts';
import type { SqlRow } from './statement.ts';

/** One of the two databases of a move. No service can use it meanwhile. */
export interface MoveSide {
  /** Where it is, in words without a password. It is written into the fence of the other one. */
  readonly place: string;
  /** The names of the migrations that this version has for its engine. */
  readonly migrations: readonly string[];
  ask(sql: string): Promise<readonly SqlRow[]>;
  /** Begins a transaction that keeps other writers out. */
  begin(): Promise<void>;
  /** Resolves when what was written is durable. */
  commit(): Promise<void>;
  /** Resolves when what was committed no longer needs space to be where it stays. */
  settle(): Promise<void>;
  /** All rows of a table, some at a time. */
  pages(table: MovedTable): AsyncIterable<readonly SqlRow[]>;
  insert(table: MovedTable, rows: readonly SqlRow[]): Promise<void>;
  /** Whether the triggers guard the audit log. Only inside of the transaction. */
  guard(isOn: boolean): Promise<void>;
  /** What besides the fence keeps programs from writing that opened the store before it. */
  refuseWriters(): Promise<void>;
  lastUserId(): Promise<number>;
  /** New rows get numbers above all that were given. */
  raiseIds(lastUserId: number): Promise<void>;
  /** Of what the transaction has written. */
  verifyAudit(): Promise<AuditVerdict>;
}

/** How many rows each table has. */
export type MovedCounts = ReadonlyMap<string, number>;

export interface MovedStore {
  readonly counts: MovedCounts;
  /** False when an earlier run had copied everything, and this one has only opened it. */
  readonly isCopied: boolean;
}

/**
 * Copies a store and keeps services from the source. A kill leaves, at any moment:
 *
 * 1. before the commit at the target: the source as it was, and nothing at the target;
 * 2. before the fence of the source: the source as it was, and a copy that nobody can use, because
 *    it has a fence of its own. The next run makes it anew, since the source may have gone on;
 * 3. before that fence is gone: both fenced, and the copy whole. The next run opens it.
 *
 * So at no moment two services can use the same tokens.
 * @throws Error that says what to do
 */
export async function moveRows(
  source: MoveSide,
  target: MoveSide,
  at: string,
): Promise<MovedStore> {
  await source.begin();
  await target.begin();
  const left = fenceIn(await namesIn(source));
  const arrived = fenceIn(await namesIn(target));
  if (left?.kind === 'moved' && left.place === target.place && arrived?.kind === 'arriving') {
    const counts = await requireSame(source, target);
    await open(target);
    return { counts, isCopied: false };
  }
  await requireKnown(source);
  await makeRoom(target, source.place);
  await copy(source, target);
  const counts = await requireSame(source, target);
  await requireWhole(target);
  await target.ask(SET_FENCE({ kind: 'arriving', place: source.place, at }));
  await target.commit();
  await target.settle();
  await source.ask(SET_FENCE({ kind: 'moved', place: target.place, at }));
  await source.refuseWriters();
  await source.commit();
  await target.begin();
  await open(target);
  return { counts, isCopied: true };
}

async function namesIn(side: Pick<MoveSide, 'ask'>): Promise<readonly string[]> {
  return (await side.ask(READ_NAMES)).map(({ name }) => String(name));
}

async function open(target: MoveSide): Promise<void> {
  await target.ask(DROP_FENCE);
  await target.commit();
}

/** @throws Error where it was moved already, or has what this version would leave behind */
async function requireKnown({ place, migrations, ...source }: MoveSide): Promise<void> {
  const names = await namesIn(source);
  requireNoFence(names, `The store in ${place}`);
  const unknown = names.filter((name) => isAddition(name) && !migrations.includes(name));
  if (unknown.length === 0) return;
  throw new StoreOpenError(
    'store.newer_schema',
    `The store in ${place} has what a later version has added (${unknown.join(', ')}): move it with ` +
      'that version. Nothing was moved.',
  );
}

/** It may be all that is left of what was moved away, so nobody writes over it. */
function leftBehind({ place, at }: Fence, target: MoveSide): string {
  return (
    `What is in ${target.place} was moved to ${place} at ${at}, and is kept as it was. A store is ` +
    'moved only to an empty place: move that miftah.db out of the folder, or name another folder or ' +
    'a new database. Nothing was changed.'
  );
}

/**
 * @param from the source
 * @throws Error unless there is nothing, or the copy of a move of it that was cut off
 */
async function makeRoom(target: MoveSide, from: string): Promise<void> {
  const names = await namesIn(target);
  const fence = fenceIn(names);
  // The copy of another store may be the only one that can still be used.
  if (fence?.kind === 'moved') throw new StoreOpenError('store.moved', leftBehind(fence, target));
  if (fence !== null && fence.place !== from) {
    requireNoFence(names, `What is in ${target.place}`);
  }
  if (fence !== null) {
    // Nobody has ever used it, and its source may have gone on.
    await target.ask(DROP_FENCE);
    await empty(target);
    return;
  }
  const counts = await countsIn(target);
  const full = [...counts].filter(([, count]) => count > 0).map(([name]) => name);
  if (full.length === 0) return;
  throw new StoreOpenError(
    'store.in_use',
    `There is a store in ${target.place} already (${full.join(', ')}). A store is moved only to ` +
      'an empty place: make a new database, or name a folder without miftah.db. Nothing was changed.',
  );
}

async function empty(side: MoveSide): Promise<void> {
  await side.guard(false);
  for (const { name } of MOVED_TABLES.toReversed()) await side.ask(`DELETE FROM ${name}`);
  await side.guard(true);
}

async function copy(source: MoveSide, target: MoveSide): Promise<void> {
  await beginLog(source, target);
  for (const table of MOVED_TABLES) {
    for await (const rows of source.pages(table)) await target.insert(table, rows);
  }
  await target.raiseIds(await source.lastUserId());
}

/** The log begins after its anchor. Its head follows by itself, row by row. */
async function beginLog(source: MoveSide, target: MoveSide): Promise<void> {
  const [anchor] = await source.ask('SELECT sequence, hash, at, proof FROM audit_anchor');
  if (anchor === undefined) throw new Error('the anchor of the audit log is lost');
  const [sequence, at] = [Number(anchor['sequence']), Number(anchor['at'])];
  const [hash, proof] = [literal(String(anchor['hash'])), literal(String(anchor['proof']))];
  const begin = `sequence = ${sequence}, hash = ${hash}`;
  await target.guard(false);
  await target.ask(`UPDATE audit_anchor SET ${begin}, at = ${at}, proof = ${proof}`);
  await target.ask(`UPDATE audit_head SET ${begin}`);
  await target.guard(true);
}

async function countsIn(side: MoveSide): Promise<MovedCounts> {
  const counts = new Map<string, number>();
  for (const { name } of MOVED_TABLES) {
    const [row] = await side.ask(`SELECT count(*) AS count FROM ${name}`);
    counts.set(name, Number(row?.['count']));
  }
  return counts;
}

/** @throws Error unless both have as many rows of each kind, and logs with the same ends */
async function requireSame(source: MoveSide, target: MoveSide): Promise<MovedCounts> {
  const [from, to] = [await countsIn(source), await countsIn(target)];
  for (const [name, count] of from) {
    if (to.get(name) !== count) throw differs(`${name} (${count} and ${to.get(name)} rows)`);
  }
  for (const name of ENDS_OF_LOG) {
    const [one, other] = [await source.ask(rowOf(name)), await target.ask(rowOf(name))];
    if (JSON.stringify(one) !== JSON.stringify(other)) throw differs(name);
  }
  if ((await target.lastUserId()) < (await source.lastUserId())) throw differs('the ids of users');
  return from;
}

const rowOf = (table: string) => `SELECT sequence, hash FROM ${table}`;

const differs = (what: string) =>
  new Error(`the copy is not what was copied: ${what}. Nothing was moved`);

/** @throws Error unless the keys of the settings prove the log */
async function requireWhole(target: MoveSide): Promise<void> {
  const verdict = await target.verifyAudit();
  if (verdict.ok) return;
  throw new Error(
    `the audit log of the store can't be proved (${verdict.fault}): see \`miftah audit --verify\`. ` +
      'If SECRET_KEY was changed at some time, give the earlier key in RETIRED_SECRET_KEYS. ' +
      'Nothing was moved',
  );
}
