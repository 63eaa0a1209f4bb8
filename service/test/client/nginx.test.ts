import { expect, test } from 'vitest';
import { findNginx, NGINX_HELP } from '../../../scripts/nginx.mjs';
import { clientOf, watchedFetch } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { BUFFERS, COMPRESSES, openNginx, PLAIN } from '../support/client/nginx.ts';
import { decideOnPhone } from '../support/client/person.ts';
import { AMAL } from '../support/service/login.ts';

/**
 * The promises of the client about proxies, behind a real nginx where there is one. Where there is
 * none they are tested with a proxy of our own (`wait.test.ts`), and the run says so.
 */

const service = shareListeningService();
const EVENTS = 'GET /status/ID/events';
const LONG_POLL = 'GET /status/ID?wait=25';

const found = findNginx();
if (found === undefined) console.error(NGINX_HELP);
const cases = [
  ['C-7 one request as it is installed', PLAIN, [EVENTS]],
  ['C-7 one request where it buffers', BUFFERS, [EVENTS]],
  ['C-8 on by long poll where it buffers and compresses', COMPRESSES, [EVENTS, LONG_POLL]],
] as const;

test.each(cases)('%s, behind a real nginx', async (_, settings, asked) => {
  if (found === undefined) return;
  const proxy = await openNginx(found, service(), settings);
  const { sent, fetch } = watchedFetch();
  const attempt = await clientOf(proxy, { fetch }).start({ locale: 'en', nationalId: AMAL });
  const waited = attempt.waitForResult();
  const last = asked.at(-1);
  await expect.poll(() => sent).toContain(last);
  await decideOnPhone(service(), attempt);
  expect((await waited).status).toBe('authenticated');
  expect(sent).toEqual(['POST /start', ...asked]);
});
