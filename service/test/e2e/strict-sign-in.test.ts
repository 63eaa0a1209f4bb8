import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { MODES } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { snippetsOf } from '../support/client/snippets.ts';

/** The sign-in by browser of docs/configuration.md is run as it stands, but for its address. */

const [, [, STRICT]] = MODES;
const service = shareListeningService(STRICT);

const DOCUMENTED = 'http://127.0.0.1:3000';
const snippets = snippetsOf('docs/configuration.md', 'sh');
const lines = snippets.find((snippet) => snippet.includes('/callback/launch')) ?? '';

it.each(['sh', 'bash'])('signs in by browser in strict mode, in %s', async (shell) => {
  expect(lines.split(DOCUMENTED)).toHaveLength(2);
  const script = lines.replace(DOCUMENTED, `http://127.0.0.1:${new URL(service().origin).port}`);
  const env = { PATH: process.env['PATH'], TMPDIR: temporaryFolder('strict-sign-in') };
  const { stdout } = await promisify(execFile)(shell, ['-c', script], { env });
  const [back = '', issued = ''] = stdout.trim().split('\n');
  expect(back).toMatch(/\/dashboard\?attempt_id=[\da-f-]{36}&completion_code=[\w-]{43}$/);
  expect(JSON.parse(issued)).toMatchObject({ data: { user: { national_id: '1000002201' } } });
});
