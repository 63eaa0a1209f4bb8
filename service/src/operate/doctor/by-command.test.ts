import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/at-end.ts';
import { loadConfig } from '../../config/config.ts';
import { doctorByCommand } from './by-command.ts';

/** Each setting is in the environment of the command, and in a file of the service. */
it('says where the service has its settings from, and not the command', async () => {
  const folder = temporaryFolder('by-command');
  const file = join(folder, 'miftah.env');
  writeFileSync(file, 'PORT=3100\nDRAIN_TIME=3s\n');
  const findings = [
    { check: 'settings', severity: 'ok', what: 'Set: 3 from the environment.', remedy: null },
    {
      check: 'settings',
      severity: 'warning',
      what: 'DRIAN_TIME is no setting.',
      remedy: 'Rename it.',
    },
  ];
  const lines = findings.map((one) => JSON.stringify(one)).join('\n');
  writeFileSync(join(folder, 'miftah.mjs'), `console.log(${JSON.stringify(lines)});`);
  const loaded = loadConfig(['--config', file], { LOG_LEVEL: 'warn' });
  const examine = doctorByCommand(loaded, join(folder, 'main.mjs'));
  expect(await examine?.()).toEqual([
    {
      ...findings[0],
      what: `The settings can be used: PROVIDER=simulator. Set: 2 from ${file}, 1 from the environment.`,
    },
    findings[1],
  ]);
});
