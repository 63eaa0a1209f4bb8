import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { textOfActor } from '../audit/act.ts';
import { temporaryFolder } from '../../test/support/at-end.ts';
import { processActor } from './process-account.ts';

const { uid, username } = userInfo();
const OWN = `uid:${uid}(${username})`;
const NONE = '4294967295';
const SOMEBODY = String(uid + 1001);

/** @param kernel what the kernel says of the login; null where it keeps none */
function actorOf({ kernel = null as string | null, told = undefined as string | undefined }) {
  const folder = temporaryFolder('accounts');
  const places = { loginUid: join(folder, 'loginuid'), accounts: join(folder, 'passwd') };
  if (kernel !== null) writeFileSync(places.loginUid, kernel);
  writeFileSync(places.accounts, `root:x:0:0::/root:/bin/sh\namal:x:${SOMEBODY}:7::/:/bin/sh\n`);
  return textOfActor(processActor(told, places));
}

describe('who runs a command', () => {
  it('is the account of the process, whatever its environment says', () => {
    for (const name of ['USER', 'LOGNAME', 'USERNAME', 'LNAME', 'SUDO_USER', 'SUDO_UID', 'HOME']) {
      vi.stubEnv(name, 'mallory');
    }
    expect(actorOf({})).toBe(OWN);
  });

  it.each([
    ['the account that has logged in', { kernel: SOMEBODY }, `${OWN},login:${SOMEBODY}(amal)`],
    ['an account without a name here', { kernel: '77777' }, `${OWN},login:77777`],
    ['the same account, once', { kernel: String(uid) }, OWN],
    ['nobody else where nobody has logged in', { kernel: NONE }, OWN],
    [
      'the caller, where nobody has',
      { kernel: NONE, told: SOMEBODY },
      `${OWN},login:${SOMEBODY}(amal)`,
    ],
    [
      'the caller, where the kernel keeps none',
      { told: SOMEBODY },
      `${OWN},login:${SOMEBODY}(amal)`,
    ],
    [
      'not the caller, where somebody has',
      { kernel: '77777', told: SOMEBODY },
      `${OWN},login:77777`,
    ],
    ['not a caller who has not logged in', { kernel: NONE, told: NONE }, OWN],
    ['not a caller that is no number', { kernel: NONE, told: 'root' }, OWN],
    ['not a number that is none', { kernel: '99999999999', told: '-1' }, OWN],
  ])('is %s', (_, given, text) => expect(actorOf(given)).toBe(text));
});
