import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { openLive } from '../support/live/live-service.ts';
import { CLIENTS } from '../support/live/rehearsal.ts';
import { diagnosisIn, severityOf } from '../support/programs/diagnosis.ts';
import { runMiftah } from '../support/programs/operator.ts';

/** The part of docs/openid.md that takes an operator from a live service to an OpenID client. */
function blocksOfPage(): readonly string[] {
  const page = readFileSync('docs/openid.md', 'utf8');
  const [, section = ''] = /\n## In live mode\n(.*?)\n## /s.exec(page) ?? [];
  return [...section.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, script = '']) => script);
}

/** What systemd does: the test reads the file anew itself. */
const PRELUDE = `systemctl() { test "$*" = 'reload miftah'; }
miftah-admin() { "$NODE" service/miftah.mjs "$@"; }
`;

it('each command of OpenID in live mode works, in its order', async () => {
  const file = writeClientsFile(temporaryFolder('by-page'), [CLIENTS.bank]);
  const scene = await openLive({ settings: { OPENID: 'on', CLIENTS_FILE: file } });
  const publicUrl = scene.settings['PUBLIC_URL'] ?? scene.origin;
  const run = async (script: string, more: Record<string, string> = {}) => {
    const here = PRELUDE + script.replaceAll('https://login.example.com', publicUrl);
    const env = { PATH: process.env['PATH'], NODE: process.execPath, ...scene.settings, ...more };
    const { stdout } = await promisify(execFile)('bash', ['-ec', here], { env });
    return stdout;
  };
  const [discovery = '', client = '', request = '', ...others] = blocksOfPage();
  expect(others).toEqual([]);
  const found = await run(discovery);
  expect(found).toContain(`"issuer":"${publicUrl}"`);
  expect(found).toContain('"keys":[{');
  const [, key = ''] = /^key {3}(mfk_\S+)$/m.exec(await run(client)) ?? [];
  await scene.reload();
  expect(await run(request, { KEY: key })).toContain('"request_uri":"urn:');
  const refused = await run(request, { KEY: 'mfk_of_nobody_0123456789' });
  expect(refused).toContain('"error":"invalid_client"');
  const diagnosis = diagnosisIn(await runMiftah(['doctor', '--json'], scene.settings));
  expect(severityOf(diagnosis, 'clients')).toEqual(['ok']);
});
