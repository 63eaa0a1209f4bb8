import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CommitThread } from '../../src/store/sqlite/sqlite-engine.ts';
import { statements as SQL } from '../../src/store/sqlite/statements.generated.ts';
import {
  bearer,
  complete,
  login,
  readStatus,
  redeem,
  startCompleted,
  startRedirect,
} from '../support/service/login.ts';
import { sendRaw } from '../support/service/raw-request.ts';
import { shareService } from '../support/service/test-service.ts';

/**
 * The costs of requests that do not depend on the machine: one more statement or commit on the hot
 * path fails here, long before a benchmark shows it.
 */
const service = shareService();

/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Counts commits in SQLite's log: the last frame of each transaction contains the size of the
 * database after it, all others contain 0. With `synchronous=FULL`, which sqlite-file.test.ts
 * checks, the log is flushed once after each such frame.
 */
function commitsInLog(): number {
  const log = readFileSync(join(service().dataDir, 'miftah.db-wal'));
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const salts = log.readBigUInt64BE(16);
  let commits = 0;
  for (let at = WAL_HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    // Frames from before the last checkpoint, which were not overwritten yet.
    if (log.readBigUInt64BE(at + 8) !== salts) break;
    if (log.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}

interface Costs {
  /** Look-ups in the read connection, on the main thread. */
  readonly reads: number;
  /** Messages to the writing thread and back. */
  readonly roundTrips: number;
  /** Statements that the writing thread ran, and rows of the audit log that it appended. */
  readonly statements: number;
  readonly auditRows: number;
  readonly commits: number;
}

/** What the service looks up each second, with and without somebody who asks. */
const ROUND = SQL.selectPendingPushes.sql;

/** The costs of one piece of work while nothing else runs. */
async function costsOf<Result>(work: () => Promise<Result>): Promise<[Result, Costs]> {
  const gets = vi.spyOn(StatementSync.prototype, 'get');
  const alls = vi.spyOn(StatementSync.prototype, 'all');
  const batches = vi.spyOn(CommitThread.prototype, 'run');
  const before = commitsInLog();
  const result = await work();
  const replies = batches.mock.settledResults.flatMap((one) =>
    one.type === 'fulfilled' ? one.value : [],
  );
  const units = replies.flatMap((reply) => (reply.outcome === 'committed' ? reply.units : []));
  return [
    result,
    {
      reads: [...gets.mock.contexts, ...alls.mock.contexts].filter(
        (statement) => statement instanceof StatementSync && statement.sourceSQL !== ROUND,
      ).length,
      roundTrips: replies.length,
      statements: units.reduce(
        (sum, unit) => sum + ('results' in unit ? unit.results.length : 0),
        0,
      ),
      auditRows: batches.mock.calls.flat(2).reduce((sum, unit) => sum + unit.audit.length, 0),
      commits: commitsInLog() - before,
    },
  ];
}

/** The first request of a kind opens statements and connections that later ones reuse. */
beforeEach(async () => {
  await redeem(service(), await startCompleted(service(), 'redirect'));
});

const NO_WRITE = { roundTrips: 0, statements: 0, auditRows: 0, commits: 0 };
const oneCommitOf = (statements: number, auditRows = 0) => ({
  roundTrips: 1,
  statements,
  auditRows,
  commits: 1,
});

describe('one request alone costs exactly', () => {
  it('a start: one statement, in a commit', async () => {
    const [, costs] = await costsOf(() => startRedirect(service()));
    expect(costs).toEqual({ reads: 0, ...oneCommitOf(1) });
  });

  it('a status of who waits: one look-up', async () => {
    const started = await startRedirect(service());
    const [, costs] = await costsOf(() => readStatus(service(), started));
    expect(costs).toEqual({ reads: 1, ...NO_WRITE });
  });

  it('a completion: a look-up, and user, attempt, launch address and audit row in a commit', async () => {
    const started = await startRedirect(service());
    const [, costs] = await costsOf(() => complete(service(), started));
    expect(costs).toEqual({ reads: 1, ...oneCommitOf(3, 1) });
  });

  it('a status of who is signed in: the attempt and the user', async () => {
    const started = await startCompleted(service(), 'redirect');
    const [, costs] = await costsOf(() => readStatus(service(), started));
    expect(costs).toEqual({ reads: 2, ...NO_WRITE });
  });

  it('a token: attempt and user looked up, and token, attempt and audit row in a commit', async () => {
    const started = await startCompleted(service(), 'redirect');
    const [, costs] = await costsOf(() => redeem(service(), started));
    expect(costs).toEqual({ reads: 2, ...oneCommitOf(2, 1) });
  });

  it('a user: the token and the user', async () => {
    const { token } = await login(service());
    const [, costs] = await costsOf(() => service().get('/user', bearer(token)));
    expect(costs).toEqual({ reads: 2, ...NO_WRITE });
  });
});

it('starts that come together share commits, each of which is one round trip', async () => {
  const twenty = Array.from({ length: 20 });
  const [, costs] = await costsOf(() => Promise.all(twenty.map(() => startRedirect(service()))));
  expect(costs.statements).toBe(20);
  // One commit for the first request, one for all that arrived during it, and one more if some were
  // late.
  expect(costs.commits).toBeLessThanOrEqual(3);
  expect(costs.roundTrips).toBe(costs.commits);
});

describe('an answer has exactly so many bytes:', () => {
  it.each([
    ['a start', 289, async () => service().post('/start', { locale: 'en' })],
    ['a status', 156, async () => readStatus(service(), await startRedirect(service()))],
    ['a completion', 160, async () => complete(service(), await startRedirect(service()))],
    ['a token', 431, async () => redeem(service(), await startCompleted(service(), 'redirect'))],
    ['a user', 313, async () => service().get('/user', bearer((await login(service())).token))],
  ])('%s', async (_, bytes, ask) => {
    const { length } = (await ask()).rawPayload;
    expect(length, 'where a member was added or removed, write the new number here').toBe(bytes);
  });

  it('the head of a status', async () => {
    const { attempt_id, attempt_token } = await startRedirect(service());
    const { headers } = await sendRaw(
      service(),
      `GET /api/v1/status/${attempt_id} HTTP/1.1\r\nHost: 127.0.0.1:3000\r\n` +
        `X-Provider-Attempt-Token: ${attempt_token}\r\nConnection: close\r\n\r\n`,
    );
    const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
    expect(lines.join('').length).toBe(371);
  });
});
