import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backUp } from '../../src/store/index.ts';
import { temporaryFolder } from '../support/at-end.ts';

it.each(['', '-wal', '-shm', '-journal', '.replaced'])(
  'a backup is not written to miftah.db%s',
  (ending) => {
    const folder = temporaryFolder('backup-name');
    const file = join(folder, 'miftah.db');
    writeFileSync(file, '');
    expect(() => backUp(folder, file + ending)).toThrow(
      'miftah.db' +
        ending +
        ' has the name of the store, or of a file beside it: name another file',
    );
    expect(existsSync(file + ending)).toBe(ending === '');
  },
);
