import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { LogReader } from '../support/faults/log-reader.ts';
import { mountSmallDisk, type SmallDisk } from '../support/faults/small-disk.ts';
import { seriesOf, valueOf } from '../support/metrics/series.ts';
import {
  clientForTest,
  spawnServiceForTest,
  startServiceForTest,
} from '../support/programs/for-test.ts';
import { until } from '../support/programs/until.ts';
import {
  SIMULATOR,
  type ServiceOptions,
  type ServiceProcess,
} from '../support/programs/service-process.ts';

const AT_ONCE = 16;
/** More lines than fit in a pipe and in the memory of the service together. */
const TOO_MANY_LINES = 8000;
const LIVEZ = 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
/** More lines than `LEFT_BYTES`. The disk has space for those of many rounds. */
const A_FEW = 60;
const LEFT_BYTES = 4 * 1024;
/** Longer than the longest pause before the log is tried again. */
const TRIED_AGAIN_MS = 1500;
const LOG_DISK_MEGABYTES = 2;
/** A first start needs as much. */
const DATA_DISK_MEGABYTES = 24;
const RESTORED = 'the log could not be written for a while';

const SERVICE: ServiceOptions = { settings: { LOG_LEVEL: 'info' } };

const COUNTERS = ['miftah_log_lost_lines_total', 'miftah_log_failures_total'] as const;

interface Program {
  readonly name: string;
  /** The lines that it logs of a request. */
  readonly linesEach: number;
  readonly options: ServiceOptions;
  readonly counters: readonly string[];
}

/** Both write their lines by the same code. Only the service has metrics. */
const PROGRAMS: readonly Program[] = [
  { name: 'the service', linesEach: 1, options: SERVICE, counters: COUNTERS },
  {
    name: 'the stand-alone simulator',
    linesEach: 2,
    options: { ...SERVICE, main: SIMULATOR },
    counters: [],
  },
];

interface Line {
  readonly msg: string;
  readonly time: number;
  readonly reqId?: string;
  readonly route?: string;
  readonly req?: { readonly path: string };
  readonly lines?: number;
}

/** What is printed for a person at a start has none of these members. */
const linesIn = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => /"(?:level|hostname|msg)":/.test(line))
    .map((line) => JSON.parse(line) as Line);

/** The lines of `askTimes`. Before it, others have asked whether the program is ready. */
function askedIn(lines: readonly Line[]): Line[] {
  const others = lines.filter(({ route, req }) => (route ?? req?.path) === '/readyz');
  const ids = new Set(others.map(({ reqId }) => reqId));
  return lines.filter(({ reqId }) => reqId !== undefined && !ids.has(reqId));
}

/** Without an HTTP client, which would need most of the time of these tests. */
async function askTimes({ port }: ServiceProcess, count: number): Promise<void> {
  let left = count;
  const callers = Array.from({ length: AT_ONCE }, async () => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    const pieces: AsyncIterator<unknown, undefined> = socket[Symbol.asyncIterator]();
    while (left-- > 0) {
      socket.write(LIVEZ);
      let answer = '';
      while (!answer.endsWith('}')) {
        const piece = await pieces.next();
        if (piece.done === true) throw new Error(`the connection has ended after: ${answer}`);
        answer += String(piece.value);
      }
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    }
    socket.destroy();
  });
  await Promise.all(callers);
}

async function metric(service: ServiceProcess, name: string): Promise<number> {
  const { text } = await clientForTest(service).send('GET', '/metrics');
  return valueOf(seriesOf(text), name);
}

function logReader(): LogReader {
  const reader = new LogReader();
  onTestFinished(() => reader[Symbol.dispose]());
  return reader;
}

function smallDisk(megabytes: number): SmallDisk | null {
  const disk = mountSmallDisk(megabytes);
  if (disk === null) console.warn('LEFT OUT: no full disk, since only root on Linux can mount one');
  else onTestFinished(() => disk.unmount());
  return disk;
}

interface LogFile {
  readonly output: number;
  readonly path: string;
  readonly text: () => string;
  readonly lines: () => Line[];
}

function logFileOn(disk: SmallDisk): LogFile {
  const path = join(disk.folder, 'miftah.log');
  const output = openSync(path, 'a');
  onTestFinished(() => closeSync(output));
  const text = () => readFileSync(path, 'utf8');
  return { output, path, text, lines: () => linesIn(text()) };
}

/** @returns how many requests were answered until the log said that it could not be written */
async function askWhileFull(
  service: ServiceProcess,
  disk: SmallDisk,
  log: LogFile,
): Promise<number> {
  let asked = 0;
  await until(async () => {
    if (log.text().includes(RESTORED)) return true;
    disk.fill(LEFT_BYTES);
    await askTimes(service, A_FEW);
    asked += A_FEW;
    // The log is written some time after the answers.
    await until(() => disk.freeBytes === 0);
    disk.free();
    return false;
  }, TRIED_AGAIN_MS);
  return asked;
}

describe('threat 104: the log ends or holds the service', () => {
  describe.each(atLength(PROGRAMS, PROGRAMS.slice(0, 1)))('$name', (program) => {
    const { linesEach, options, counters } = program;

    it('answers while whoever reads the log stands still, and says what was lost', async () => {
      const reader = logReader();
      const service = await startServiceForTest({ ...options, output: reader.descriptor });
      reader.handOver();
      reader.standStill();
      await askTimes(service, TOO_MANY_LINES / linesEach);
      reader.goOn();
      await expect.poll(() => reader.text()).toContain(RESTORED);
      expect((await service.stop()).code).toBe(0);

      const lines = linesIn(reader.text());
      const gap = lines.find(({ msg }) => msg === RESTORED);
      expect(gap).toMatchObject({ level: 40, reason: 'EAGAIN' });
      expect(gap?.lines).toBeGreaterThan(0);
      expect(askedIn(lines).length + (gap?.lines ?? 0)).toBe(TOO_MANY_LINES);
      const times = lines.map(({ time }) => time);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
    });

    it('counts what fails and what is lost while whoever reads the log stands still, and stops as asked', async () => {
      const reader = logReader();
      const service = await startServiceForTest({ ...options, output: reader.descriptor });
      reader.handOver();
      for (const name of counters) expect(await metric(service, name)).toBe(0);
      reader.standStill();
      await askTimes(service, TOO_MANY_LINES / linesEach);
      for (const name of counters) {
        await expect.poll(() => metric(service, name)).toBeGreaterThan(0);
      }
      expect(await service.stop()).toEqual({ code: 0, signal: null });
    });

    it('stops as asked when whoever reads the log is gone', async () => {
      const reader = logReader();
      const service = await startServiceForTest({ ...options, output: reader.descriptor });
      reader.handOver();
      await reader.end();
      // Where nobody reads, the first line can't be written.
      await askTimes(service, A_FEW);
      expect(await service.stop()).toEqual({ code: 0, signal: null });
    });

    it('answers on a full disk, and loses nothing when there is space in time', async () => {
      const disk = smallDisk(LOG_DISK_MEGABYTES);
      if (disk === null) return;
      const log = logFileOn(disk);
      const service = await startServiceForTest({ ...options, output: log.output });
      const asked = await askWhileFull(service, disk, log);
      expect(log.lines().find(({ msg }) => msg === RESTORED)).toMatchObject({
        lines: 0,
        reason: 'ENOSPC',
      });
      expect(askedIn(log.lines())).toHaveLength(linesEach * asked);
      disk.fill();
      await askTimes(service, A_FEW);
      expect(await service.stop()).toEqual({ code: 0, signal: null });
    });
  });

  it('starts on a full disk, and its first line begins after half a line of an earlier one', async () => {
    const disk = smallDisk(LOG_DISK_MEGABYTES);
    if (disk === null) return;
    const log = logFileOn(disk);
    writeFileSync(log.path, '{"level":30,"msg":"cut of');
    disk.fill();
    const service = await startServiceForTest({ ...SERVICE, output: log.output });
    const asked = await askWhileFull(service, disk, log);
    const [half = '', ...rest] = log.text().split('\n');
    expect(half).toBe('{"level":30,"msg":"cut of');
    expect(askedIn(linesIn(rest.join('\n')))).toHaveLength(asked);
  });

  it('starts read-only when the log and DATA_DIR are on the same full disk', async () => {
    const disk = smallDisk(DATA_DISK_MEGABYTES);
    if (disk === null) return;
    const log = logFileOn(disk);
    const dataDir = join(disk.folder, 'data');
    await (await startServiceForTest({ dataDir })).stop();
    disk.fill();
    const service = await spawnServiceForTest({ dataDir, output: log.output });
    const client = clientForTest(service);
    await expect
      .poll(() => client.send('GET', '/livez').catch(() => null))
      .toMatchObject({ status: 200 });
    await expect.poll(async () => (await client.send('GET', '/readyz')).text).toContain('no space');
    disk.free();
    await expect.poll(async () => (await client.send('GET', '/readyz')).status).toBe(200);
    await expect.poll(() => log.text()).toContain(RESTORED);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });
});
