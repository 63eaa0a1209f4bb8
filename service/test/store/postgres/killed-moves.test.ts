import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemTimer } from '../../../src/platform/runtime.ts';
import type { Timer } from '../../../src/platform/runtime.port.ts';
import { parseDatabaseUrl } from '../../../src/store/postgres/connection-url.ts';
import { withPostgresSide } from '../../../src/store/postgres/move-side.ts';
import { fenceIn, READ_NAMES } from '../../../src/store/sql/fence.ts';
import { moveRows, type MoveSide } from '../../../src/store/sql/move.ts';
import { openSqliteSide } from '../../../src/store/sqlite/move-side.ts';
import { atLength } from '../../../../scripts/test-length.ts';
import { temporaryFolder } from '../../support/at-end.ts';
import { copyOf, migratedDatabase } from '../../support/postgres/databases.ts';
import { login, startPhone } from '../../support/service/login.ts';
import { openTestService } from '../../support/service/test-service.ts';
import { contentOfDatabase, contentOfFile } from '../../support/store/both-engines.ts';
import { auditKeysIn } from '../../support/store/large-store.ts';

/** Of the pauses in which nobody may come back: there is nobody here. */
const LOOK_INTERVAL_MS = 200;
const AT = '2026-11-29T12:00:00.000Z';
const MINUTE_MS = 60_000;

const withoutPauses: Timer = {
  after: (ms, work) => systemTimer.after(ms === LOOK_INTERVAL_MS ? 0 : ms, work),
};

class Killed extends Error {}

/** Counts the steps of both sides, and ends the program before one of them. */
class Steps {
  readonly #last: number;
  made = 0;

  constructor(last: number) {
    this.#last = last;
  }

  watch(side: MoveSide): MoveSide {
    const step = () => {
      this.made += 1;
      if (this.made > this.#last) throw new Killed();
    };
    return new Proxy(side, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          step();
          return Reflect.apply(member, target, given);
        };
      },
    });
  }
}

interface Ends {
  readonly folder: string;
  readonly url: string;
  readonly keys: readonly Uint8Array[];
}

type Sides = (file: MoveSide, database: MoveSide) => Promise<unknown>;

/** A transaction that is open at the end of a program is rolled back. */
async function withSides({ folder, url, keys }: Ends, work: Sides): Promise<unknown> {
  using file = openSqliteSide(folder, keys);
  const options = {
    address: parseDatabaseUrl(url),
    identity: { known: () => null, remember: async () => undefined },
    timer: withoutPauses,
    deadlineMs: MINUTE_MS,
    auditKeys: keys,
    tell: () => undefined,
    machine: 'test',
  };
  return await withPostgresSide(options, (database) => work(file, database));
}

/** Whether a service would start on each of the two. */
function usable(ends: Ends) {
  return withSides(ends, async (file, database) => {
    const names = await Promise.all([file, database].map((side) => side.ask(READ_NAMES)));
    const [first, second] = names.map(
      (found) => fenceIn(found.map(({ name }) => String(name))) === null,
    );
    return { file: first, database: second };
  }) as Promise<Usable>;
}

type Usable = Readonly<Record<keyof Contents, boolean>>;

const CONTENTS = {
  file: async ({ folder }: Ends) => contentOfFile(join(folder, 'miftah.db')),
  database: async ({ url }: Ends) => contentOfDatabase(url),
};
type Contents = typeof CONTENTS;

async function filledFile(): Promise<Ends> {
  const service = await openTestService({ dataDir: temporaryFolder('killed-moves') });
  await login(service);
  await startPhone(service);
  await service.close();
  return {
    folder: service.dataDir,
    url: await migratedDatabase(),
    keys: auditKeysIn(service.dataDir),
  };
}

const forth =
  (steps: Steps): Sides =>
  (file, database) =>
    moveRows(steps.watch(file), steps.watch(database), AT);

const back =
  (steps: Steps): Sides =>
  (file, database) =>
    moveRows(steps.watch(database), steps.watch(file), AT);

const NEVER = Infinity;

/** The same again: a copy is made faster. */
async function copyOfFile({ folder, keys }: Ends): Promise<Ends> {
  const copied = temporaryFolder('killed-moves');
  cpSync(folder, copied, { recursive: true });
  return { folder: copied, url: await migratedDatabase(), keys };
}

async function filledDatabase(): Promise<Ends> {
  const ends = await filledFile();
  await withSides(ends, forth(new Steps(NEVER)));
  return ends;
}

async function copyOfDatabase({ url, keys }: Ends): Promise<Ends> {
  return { folder: temporaryFolder('killed-moves'), url: await copyOf(url), keys };
}

const DIRECTIONS = [
  { from: 'file', to: 'database', move: forth, fill: filledFile, again: copyOfFile },
  { from: 'database', to: 'file', move: back, fill: filledDatabase, again: copyOfDatabase },
] as const;

/** The steps behind the copy: its fence and commit, those of the source, and the copy opened. */
const LAST_STEPS = 7;
/** So many between two of the others, in `npm test`. */
const STEPS_BETWEEN = 50;

/** The last step is left out: after its commit there is nothing to be killed. */
function killedSteps(all: number): number[] {
  const steps = Array.from({ length: all }, (_, index) => index);
  const some = steps.filter((step) => step >= all - LAST_STEPS || step % STEPS_BETWEEN === 1);
  return atLength(steps, some);
}

test.each(DIRECTIONS)(
  'a move from $from to $to that is killed at any step leaves one store, and the next one finishes',
  async ({ from, to, move, fill, again }) => {
    const whole = new Steps(NEVER);
    const filled = await fill();
    await withSides(await again(filled), move(whole));
    const seen = new Set<string>();
    for (const last of killedSteps(whole.made)) {
      const ends = await again(filled);
      const before = await CONTENTS[from](ends);
      await expect(withSides(ends, move(new Steps(last)))).rejects.toThrow(Killed);
      const open = await usable(ends);
      const isCopied = (await CONTENTS[to](ends))['audit_log']?.length !== 0;
      expect(open[from] && open[to] && isCopied, `both after step ${last}`).toBe(false);
      if (!open[from]) expect(await CONTENTS[to](ends)).toEqual(before);
      seen.add(open[from] ? from : to);
      await withSides(ends, move(new Steps(NEVER)));
      expect(await usable(ends)).toMatchObject({ [from]: false, [to]: true });
      expect(await CONTENTS[to](ends)).toEqual(before);
    }
    expect(seen).toEqual(new Set([from, to]));
  },
);

/** A side that loses a page of a table on the way. */
function losing(side: MoveSide, table: string): MoveSide {
  return {
    ...side,
    async *pages(wanted) {
      for await (const page of side.pages(wanted)) if (wanted.name !== table) yield page;
    },
  };
}

test('a copy that lacks rows is not committed, and the source stays as it was', async () => {
  const ends = await filledFile();
  const moving = withSides(ends, (file, database) =>
    moveRows(losing(file, 'attempts'), database, AT),
  );
  await expect(moving).rejects.toThrow('the copy is not what was copied: attempts (2 and 0 rows)');
  expect(await usable(ends)).toEqual({ file: true, database: true });
  expect((await CONTENTS.database(ends))['users']).toEqual([]);
});

test('a log that the keys do not prove is not moved', async () => {
  const ends = await filledFile();
  const moving = withSides({ ...ends, keys: [new Uint8Array(32)] }, forth(new Steps(NEVER)));
  await expect(moving).rejects.toThrow("the audit log of the store can't be proved");
  expect(await usable(ends)).toEqual({ file: true, database: true });
});

test('a place that has a store is refused', async () => {
  const [one, other] = [await filledFile(), await filledDatabase()];
  const moving = withSides({ ...one, url: other.url }, forth(new Steps(NEVER)));
  await expect(moving).rejects.toThrow('There is a store in');
});
