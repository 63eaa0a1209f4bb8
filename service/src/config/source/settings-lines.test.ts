import { expect, test } from 'vitest';
import { faultsOfLines } from './settings-lines.ts';

test.each([
  'RATE_LIMITS: off',
  'TRUSTED_PROXIES 127.0.0.1',
  'METRICS_PORT : 9777',
  'this is no line',
  'PORT',
  '=3000',
])('a line that sets nothing is a fault: %s', (line) => {
  expect(faultsOfLines(`# settings\n\n${line}\nPORT=3000\n`)).toEqual(['line 3 is not NAME=value']);
});

test('a name that is set twice is a fault, with both lines and no value', () => {
  const text = 'SECRET_KEY=one\r\nPORT = 3000\nexport SECRET_KEY=two\n';
  expect(faultsOfLines(text)).toEqual(['line 3 sets SECRET_KEY again, which line 1 has set']);
});

test('settings, comments and empty lines are none', () => {
  const text = '# a\n  # b\n\nPORT=3000 # c\nexport HOST=::1\n DATA_DIR = "a b"\nALLOWED_HOSTS=\n';
  expect(faultsOfLines(text)).toEqual([]);
});
