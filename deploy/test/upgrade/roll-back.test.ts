import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { temporaryFolder } from '../../../service/test/support/at-end.ts';
import { spawnServiceForTest } from '../../../service/test/support/programs/for-test.ts';
import { leftBy, versions } from '../support/upgrade/releases.ts';
import { Machine } from '../support/upgrade/upgraded.ts';

/** What docs/upgrading.md promises of a file that a later version has migrated. */

/** The clock of the fixtures needs `faketime`. */
const isHere = hasTools('upgrade');
const latest = () => leftBy(versions().at(-1) ?? '', 'sqlite');

describe('a roll-back', () => {
  test('on a file to which the later version has only added: nothing is lost', async () => {
    if (!isHere) return;
    const machine = await Machine.withFile(latest());
    machine.migrateLater('9999+later', [
      'CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT',
      'ALTER TABLE attempts ADD COLUMN later TEXT',
      'ALTER TABLE users ADD COLUMN later INTEGER',
      'ALTER TABLE api_tokens ADD COLUMN later INTEGER',
    ]);
    const service = await machine.start();
    await machine.expectKept(service);
    await machine.expectGoingOn(service);
    const { out } = await machine.miftah('doctor', '--json');
    const schema = out.split('\n').find((line) => line.includes('"store.schema"')) ?? '{}';
    expect(JSON.parse(schema)).toMatchObject({ severity: 'ok' });
  });

  test('on a file that the later version has changed: refused, and possible with the backup', async () => {
    if (!isHere) return;
    const machine = await Machine.withFile(latest());
    const backup = join(temporaryFolder('backup'), 'miftah.db');
    expect((await machine.miftah('backup', backup)).code).toBe(0);
    machine.migrateLater('9999-later', ['ALTER TABLE attempts RENAME COLUMN flow TO way']);

    const { settings, port, dataDir } = machine;
    const refused = await spawnServiceForTest({ settings, port, dataDir });
    expect((await refused.exited).code).toBe(1);
    expect(refused.stderr()).toContain('was migrated by a newer version of this program');

    const tooNew = await machine.miftah('restore', backup);
    expect(tooNew.err).toContain('move miftah.db and what stands beside it out of DATA_DIR');
    machine.moveStoreAway();
    expect((await machine.miftah('restore', backup)).code).toBe(0);
    const service = await machine.start();
    expect((await machine.miftah('audit', '--verify')).code).toBe(0);
    expect((await service.stop()).code).toBe(0);
  });
});
