import { expect, it } from 'vitest';
import { listenError } from './listen-error.ts';

const PLACE = { host: '127.0.0.1', port: 80, names: ['METRICS_HOST', 'METRICS_PORT'] } as const;

it.each([
  [
    'EADDRINUSE',
    '127.0.0.1:80 is taken by another program. Stop it, or set METRICS_PORT (--metrics-port)',
  ],
  ['EACCES', '127.0.0.1:80 may not be used by this user. Set METRICS_PORT to 1024 or higher'],
  ['EADDRNOTAVAIL', '127.0.0.1:80 is not an address of this machine. Set METRICS_HOST'],
])('%s is told by the name of the setting, with what to do', (code, says) => {
  const error = Object.assign(new Error(`listen ${code}`), { code });
  expect(String(listenError(error, PLACE))).toContain(says);
});

it('another error stays what it is', () => {
  const error = new Error('other');
  expect(listenError(error, PLACE)).toBe(error);
});
