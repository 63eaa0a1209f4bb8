import process from 'node:process';
import { expect, it } from 'vitest';
import { takeDescriptors } from '../config.ts';

const own = String(process.pid);

it.each([
  ['this process', { LISTEN_PID: own, LISTEN_FDS: '2', LISTEN_FDNAMES: 'a:b' }, [3, 4]],
  ['another process', { LISTEN_PID: `${own}0`, LISTEN_FDS: '2' }, []],
  ['this process, without a number', { LISTEN_PID: own }, []],
  ['nobody', {}, []],
])('takes those that systemd hands over to %s, and forgets the variables', (_, given, expected) => {
  const environment: NodeJS.ProcessEnv = { ...given, PATH: '/bin' };
  expect(takeDescriptors(environment)).toEqual(expected);
  expect(environment).toEqual({ PATH: '/bin' });
});
