import type { PlantedBug } from '../support/planted-bug.ts';

/** What a machine does to a service: a full disk, a clock that steps. */
export const MACHINE_BUGS: readonly PlantedBug[] = [
  {
    name: 'npm start goes on without npm',
    edits: [
      {
        file: 'scripts/with-npm.mjs',
        from: 'if (process.ppid === parent) return;',
        to: 'if (process.ppid > 0) return;',
      },
    ],
    test: {
      file: 'service/test/e2e/npm-scripts.test.ts',
      name: 'npm run start under dash > ends on SIGTERM with all that it started, and frees its ports',
    },
  },
  {
    name: 'a clock that is set forward is not followed',
    edits: [
      {
        file: 'service/src/platform/clock.ts',
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
        file: 'service/src/platform/clock.ts',
        from: 'this.#offset = Math.max(this.#offset, difference);',
        to: 'this.#offset = difference;',
      },
    ],
    test: {
      file: 'service/test/threats/machine-clock.test.ts',
      name: 'threat 70: the clock of the machine steps > it is set back by two hours: nothing comes back, and nobody starts until it is right',
    },
  },
  {
    name: 'a full disk is not told to who asks for readiness',
    edits: [
      {
        file: 'service/src/store/sqlite/sqlite-core.ts',
        from: 'this.#writes.poison ?? closed ?? this.#writes.lack;',
        to: 'this.#writes.poison ?? closed;',
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
        file: 'service/src/store/sqlite/open-database.ts',
        from: 'if (lockFile === null || !isDiskFull(faultOf(error).code)) throw error;',
        to: 'if (lockFile === null || isDiskFull(faultOf(error).code)) throw error;',
      },
    ],
    test: {
      file: 'service/test/store/disk-full.test.ts',
      name: 'where there is no space for the index of the log, it is kept in memory',
    },
  },
];
