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

const SESSION = '0::/user.slice/user-1001.slice/session-3.scope\n';
const ALL = '         0          0 4294967295\n';

/**
 * @param kernel what the kernel says of the login; null where it keeps none
 * @param group where systemd has put the process
 * @param numbers which numbers the user namespace has, and of which ones outside
 */
function actorOf({ kernel = null as string | null, group = SESSION, numbers = ALL }) {
  const folder = temporaryFolder('accounts');
  const places = {
    loginUid: join(folder, 'loginuid'),
    numbers: join(folder, 'uid_map'),
    group: join(folder, 'cgroup'),
    accounts: join(folder, 'passwd'),
  };
  writeFileSync(places.group, group);
  writeFileSync(places.numbers, numbers);
  if (kernel !== null) writeFileSync(places.loginUid, kernel);
  writeFileSync(places.accounts, `root:x:0:0::/root:/bin/sh\namal:x:${SOMEBODY}:7::/:/bin/sh\n`);
  return textOfActor(processActor(places));
}

describe('who runs a command', () => {
  it('is the account of the process, whatever its environment says', () => {
    for (const name of ['USER', 'LOGNAME', 'USERNAME', 'LNAME', 'SUDO_USER', 'SUDO_UID', 'HOME']) {
      vi.stubEnv(name, 'mallory');
    }
    vi.stubEnv('CALLER_LOGIN_UID', SOMEBODY);
    expect(actorOf({})).toBe(OWN);
  });

  it.each([
    ['the account that has logged in', { kernel: SOMEBODY }, `${OWN},login:${SOMEBODY}(amal)`],
    ['an account without a name here', { kernel: '77777' }, `${OWN},login:77777`],
    ['the same account, once', { kernel: String(uid) }, OWN],
    ['nobody else where nobody has logged in', { kernel: NONE }, OWN],
    ['nobody else where the number is none', { kernel: '99999999999' }, OWN],
  ])('is %s', (_, given, text) => expect(actorOf(given)).toBe(text));

  it.each([
    ['a session', SESSION],
    ['a session of before', `1:name=systemd:/\n${SESSION}`],
    ['a command of miftah-admin', '0::/system.slice/run-p17-i18.service\n'],
  ])('is the account that has logged in, in %s', (_, group) => {
    expect(actorOf({ kernel: SOMEBODY, group })).toBe(`${OWN},login:${SOMEBODY}(amal)`);
  });

  it.each([
    ['the service', '0::/system.slice/miftah.service\n'],
    ['what is below a command', '0::/system.slice/run-p17-i18.service/own\n'],
    ['a container', '0::/\n'],
    ['a group that accounts can choose', `1:name=systemd:/user.slice/own\n0::/\n`],
    ['nothing that can be read', ''],
  ])('is no login in %s, where a process can set its own', (_, group) => {
    expect(actorOf({ kernel: SOMEBODY, group })).toBe(OWN);
  });

  it.each([
    ['one number', `${SOMEBODY}     ${uid}          1\n`],
    ['its own number alone', `${uid}     ${uid}          1\n`],
    ['many numbers', '0 1000 1\n1 100000 65536\n'],
    ['all numbers but one', '1 1 4294967294\n'],
    ['nothing that can be read', ''],
  ])('has no number in a user namespace that has %s: its maker chooses them', (_, numbers) => {
    expect(actorOf({ kernel: SOMEBODY, numbers })).toBe('uid:-');
  });
});
