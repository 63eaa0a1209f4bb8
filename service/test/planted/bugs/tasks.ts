import type { PlantedBug } from '../support/planted-bug.ts';

const TASKS = 'service/test/threats/tasks.test.ts';
const KEEP = 'service/src/operate/backup/keep-backup.ts';
const FOLDER = 'service/src/operate/backup/backup-folder.ts';
const IN_FOLDER = 'service/test/threats/backup-folder.test.ts';
const RESTORE = 'service/src/operate/restore/restore.ts';
const REFUSED =
  'threat 139: a backup that can not be restored pushes out no good one, and is no success:';

/** Bugs in what an operator's timers run each day. */
export const TASK_BUGS: readonly PlantedBug[] = [
  {
    name: 'a reader of the audit log that can not go on seems to have all',
    edits: [
      {
        file: 'service/src/operate/audit-stream.ts',
        from: 'return { broken: (await log.containsHead(place)) ? null : lost(path, place), place };',
        to: 'return { broken: null, place };',
      },
    ],
    test: {
      file: TASKS,
      name: 'how far the reader of the audit log is behind > is the age of what it has not taken, and after a restore of all',
    },
  },
  {
    name: 'a backup with a changed audit log is good enough',
    edits: [
      {
        file: RESTORE,
        from: 'if (!verdict.ok) throw new Error(wordsOfBroken(verdict));',
        to: 'if (!verdict.ok) return 0;',
      },
    ],
    test: { file: TASKS, name: `${REFUSED} > a row of the audit log was changed` },
  },
  {
    name: 'a backup of an older store is good enough',
    edits: [
      {
        file: RESTORE,
        from: 'if (kept !== null && !isEmptyHead(kept) && !(await store.knowsHead(kept))) {',
        to: 'if (kept !== null && isEmptyHead(kept)) {',
      },
    ],
    test: { file: TASKS, name: `${REFUSED} > the store is an older one than AUDIT_HEAD_FILE` },
  },
  {
    name: 'the new backup is removed where none is to be kept',
    edits: [{ file: KEEP, from: '.filter((name) => name !== last)', to: '' }],
    test: {
      file: TASKS,
      name: 'miftah backup --into > removes what it keeps no longer, and nothing that is not its own',
    },
  },
  {
    name: 'a link or folder with the name of a backup is removed',
    edits: [{ file: KEEP, from: 'entry.isFile() && ', to: '' }],
    test: {
      file: TASKS,
      name: 'miftah backup --into > removes what it keeps no longer, and nothing that is not its own',
    },
  },
  {
    name: 'a file with a name that is almost that of a backup is removed',
    edits: [
      {
        file: 'service/src/operate/backup/rotation.ts',
        from: 'Number.isNaN(at) || nameOfBackup(at) !== name ? null',
        to: 'Number.isNaN(at) ? null',
      },
    ],
    test: {
      file: 'service/src/operate/backup/rotation.test.ts',
      name: 'miftah-20260230T021500Z.db is none of its names',
    },
  },
  {
    name: 'what a killed backup has left keeps the next one from being made',
    edits: [{ file: KEEP, from: '  removeLeft(folder);\n', to: '' }],
    test: {
      file: TASKS,
      name: `${REFUSED} > it is killed when restoring is there, and the next run removes what it left`,
    },
  },
  {
    name: 'two backups are made in one folder at once',
    edits: [{ file: KEEP, from: '  using _lock = lockBackups(folder);\n', to: '' }],
    test: {
      file: TASKS,
      name: 'miftah backup --into > does not begin in the folder of the store, nor beside another one',
    },
  },
  {
    name: 'a backup of a clock that was ahead pushes out good ones',
    edits: [{ file: KEEP, from: ' && entry.name <= last', to: '' }],
    test: {
      file: TASKS,
      name: 'miftah backup --into > removes what it keeps no longer, and nothing that is not its own',
    },
  },
  {
    name: 'an empty file takes the place of a backup',
    edits: [{ file: FOLDER, from: 'return begin.equals(MAGIC);', to: 'return true;' }],
    test: {
      file: IN_FOLDER,
      name: 'threat 139: good backups are pushed out by > files that have only the names of copies, and times after the new one',
    },
  },
  {
    name: 'a copy that was refused keeps the last space of a disk',
    edits: [{ file: KEEP, from: '    removeCopy(copy);\n', to: '' }],
    test: {
      file: IN_FOLDER,
      name: 'without space for a backup > none begins, and one that fails all the same keeps no copy of its own there',
    },
  },
  {
    name: 'backups are made in DATA_DIR by another name of it',
    edits: [{ file: FOLDER, from: 'a.dev === b.dev && a.ino === b.ino', to: 'one === other' }],
    test: {
      file: IN_FOLDER,
      name: 'the folder of backups > is not DATA_DIR by another name',
    },
  },
  {
    name: 'a success that no key proves counts',
    edits: [
      {
        file: 'service/src/store/sql/stores/audit.ts',
        from: 'found.filter((row) => isProved(auditLinkFromRow(row), auditKeys()));',
        to: 'found.filter(() => auditKeys().length > 0);',
      },
    ],
    test: {
      file: TASKS,
      name: 'the last success of a task > threat 139: is not what somebody without the key has written into the database',
    },
  },
  {
    name: 'a doctor who finds a fault is a success',
    edits: [
      {
        file: 'service/src/commands/doctor.ts',
        from: 'if (faults > 0) return context.fail(total);',
        to: 'if (faults > 0) context.fail(total);',
      },
    ],
    test: {
      file: TASKS,
      name: 'the last success of a task > of the doctor needs a doctor without faults',
    },
  },
  {
    name: 'the verification of each day is not written down',
    edits: [
      {
        file: 'deploy/systemd/miftah-daily',
        from: 'set -- audit --verify --record ;;',
        to: 'set -- audit --verify ;;',
      },
    ],
    test: {
      file: 'deploy/test/systemd/units.test.ts',
      name: 'the tasks of each day are commands that write down how they went',
    },
  },
  {
    name: 'the last successes are read at the start alone',
    edits: [
      {
        file: 'service/src/program/housekeeping.ts',
        from: '    [MINUTE_MS, () => showLastSuccesses(runtime)],\n',
        to: '',
      },
    ],
    test: {
      file: TASKS,
      name: 'the last success of a task > is in the numbers of a service on a file, and 0 before',
    },
  },
];
