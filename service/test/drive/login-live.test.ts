import { expect, it } from 'vitest';
import { drive, resultOf } from '../support/drive/drive.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { shareRehearsal } from '../support/live/shared-rehearsal.ts';

/** `miftah login` where the service has no simulator: in live mode and its rehearsal. */

const rehearsal = shareRehearsal();
const YARA = '1000003301';
const environment = { MIFTAH_CLIENT_KEY: BANK_KEY };

const login = (args: readonly string[]) =>
  drive(rehearsal().origins.service, ['login', ...args], { environment });
const atSimulator = (args: readonly string[]) =>
  drive(rehearsal().origins.simulator, args, { environment });

it('by phone says when the attempt ends, because nobody tells when the push does', async () => {
  const signingIn = login(['--phone', YARA]);
  expect((await atSimulator(['approve', YARA])).code).toBe(0);
  const ran = await signingIn;
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(resultOf(ran)).toMatchObject({ user: { national_id: YARA } });
  expect(ran.err).toMatch(
    /^Choose \d+ on the phone\. The attempt ends in (?:5:00|4:\d\d), the push may end earlier\.\n$/,
  );
});
