import type { PlantedBug } from '../support/planted-bug.ts';

/** Bugs in the handling of a full disk and of a changed clock. */
export const MACHINE_BUGS: readonly PlantedBug[] = [
  {
    name: 'files of another user are used',
    edits: [
      {
        file: 'service/src/platform/files/private-files.ts',
        from: 'for (const { stat, path } of found) requireOwner(stat, path, [ownId()]);',
        to: '',
      },
    ],
    test: {
      file: 'service/src/platform/files/private-files.test.ts',
      name: 'what belongs to another user > is refused, and named: secret.key',
    },
  },
  {
    name: 'a new key beside an old database',
    edits: [
      {
        file: 'service/src/program/store-needs.ts',
        from: 'if (secretKey === null) requireKeyOf(dataDir);',
        to: 'if (secretKey === null) hasDatabase(dataDir);',
      },
    ],
    test: {
      file: 'service/test/e2e/start.test.ts',
      name: 'a data folder that is not as the service left it > is refused, and named: its key is gone',
    },
  },
  {
    name: 'a clock that is set forward is not followed',
    edits: [
      {
        file: 'service/src/platform/runtime.ts',
        from: 'this.#offset = Math.max(this.#offset, difference);',
        to: '',
      },
    ],
    test: {
      file: 'service/src/platform/clock.test.ts',
      name: 'R-8: takes over a clock that was set forward, or went on while the machine slept',
    },
  },
  {
    name: 'a clock that is set back is followed',
    edits: [
      {
        file: 'service/src/platform/runtime.ts',
        from: 'this.#offset = Math.max(this.#offset, difference);',
        to: 'this.#offset = difference;',
      },
    ],
    test: {
      file: 'service/src/platform/clock.test.ts',
      name: 'R-8, R-9: goes on by itself when the clock was set back, and says how far it is ahead',
    },
  },
  {
    name: 'a full disk is not told to who asks for readiness',
    edits: [
      {
        file: 'service/src/store/sqlite/sqlite-engine.ts',
        from: 'if (lack !== null) return {',
        to: "if (lack === 'never') return {",
      },
    ],
    test: {
      file: 'service/test/store/disk-full.test.ts',
      name: 'S-4, S-31: a full disk refuses writes, keeps what it has, and works again with space',
    },
  },
  {
    name: 'a start on a full disk needs room for the index of the log',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/open-database.ts',
        from: 'if (lockFile === null || !isDiskFull(faultOf(error).code)) throw error;',
        to: 'if (lockFile === null || isDiskFull(faultOf(error).code)) throw error;',
      },
    ],
    test: {
      file: 'service/test/store/disk-full.test.ts',
      name: 'where there is no space for the index of the log, it is kept in memory',
    },
  },
  {
    name: 'the write-ahead log has no limit',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/writer.ts',
        from: 'const isDue = this.#isFull || before.left >= this.#maxPages;',
        to: 'const isDue = this.#isFull;',
      },
    ],
    test: {
      file: 'service/test/store/write-ahead-log.test.ts',
      name: 'the write-ahead log > is moved before it is longer than its limit, however small each transaction is',
    },
  },
  {
    name: 'nobody hears that the log grows while a backup reads',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/writer.ts',
        from: 'const isNews = isTooLong && !this.#isReported;',
        to: 'const isNews = false;',
      },
    ],
    test: {
      file: 'service/test/store/write-ahead-log.test.ts',
      name: 'the write-ahead log > grows while somebody reads, which is reported once, and begins again after it',
    },
  },
  {
    name: 'space for one page is taken for space',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/writer.ts',
        from: 'return this.#log.lack ?? faultOfTrial(this.#file);',
        to: 'return this.#log.lack;',
      },
    ],
    test: {
      file: 'service/test/store/disk-full.test.ts',
      name: 'threat 69: on a disk with space for a few writes it is not ready, until there is more',
    },
  },
  {
    name: 'the log takes the space that the database file needs',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/writer.ts',
        from: 'units.some(isSpaceProbe) ? this.#faultOfCheckpoint() : this.#log.lack;',
        to: 'units.some(isSpaceProbe) ? this.#faultOfCheckpoint() : null;',
      },
    ],
    test: {
      file: 'service/test/store/write-ahead-log.test.ts',
      name: 'the write-ahead log > gets no more pages while there is no space to move it, until the trial write moved it',
    },
  },
  {
    name: 'a trial write that leaves the log where it is',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/writer.ts',
        from: 'units.some(isSpaceProbe) ? this.#faultOfCheckpoint() : this.#log.lack;',
        to: 'units.some(isSpaceProbe) ? null : this.#log.lack;',
      },
    ],
    test: {
      file: 'service/test/store/write-ahead-log.test.ts',
      name: 'the write-ahead log > gets no more pages while there is no space to move it, until the trial write moved it',
    },
  },
  {
    name: 'live mode starts sign-ins while its clock is ahead',
    edits: [
      {
        file: 'service/src/operate/readiness.flow.ts',
        from: "throw new Refusal('server.clock_ahead', {",
        to: "void new Refusal('server.clock_ahead', {",
      },
    ],
    test: {
      file: 'service/test/threats/machine-clock.test.ts',
      name: 'threat 70: the clock of the machine steps > it is set back by two hours: nothing comes back, and nobody starts until it is right',
    },
  },
  {
    name: 'runs of the housekeeping that were left out are made up for',
    edits: [
      {
        file: 'service/src/platform/scheduler.ts',
        from: 'running ??= run();',
        to: 'running = (running ?? Promise.resolve()).then(run);',
      },
    ],
    test: {
      file: 'service/src/platform/scheduler.test.ts',
      name: 'work that is repeated > stops, and waits for the run that is under way, and for no other',
    },
  },
  {
    name: 'a stop that closes its store is ended by force too early',
    edits: [
      {
        file: 'service/src/server/stop.ts',
        from: 'const CLOSE_MS = 2.5 * SECOND_MS;',
        to: 'const CLOSE_MS = 0.5 * SECOND_MS;',
      },
    ],
    test: {
      file: 'service/test/e2e/stop.test.ts',
      name: 'is gone within ten seconds, whatever is unfinished',
    },
  },
  {
    name: 'a holder of the set-up lock that works long is taken for dead',
    edits: [
      {
        file: 'scripts/lock.mjs',
        from: "return `${statSync(file).mtimeMs} ${readFileSync(file, 'utf8')}`;",
        to: "return `${statSync(file).ino} ${readFileSync(file, 'utf8')}`;",
      },
    ],
    test: {
      file: 'test/setup.test.ts',
      name: 'the lock of the set-up > leaves a lock alone whose holder takes its time',
    },
  },
  {
    name: 'secrets in the clear in --show-config',
    edits: [
      {
        file: 'service/src/config/describe.ts',
        from: 'SECRET_KEY: hidden(config.secretKey),',
        to: "SECRET_KEY: given.SECRET_KEY ?? '',",
      },
    ],
    test: {
      file: 'service/src/config/describe.test.ts',
      name: '--show-config > shows each setting under the name that an operator writes',
    },
  },
];
