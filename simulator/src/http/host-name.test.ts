import { describe, expect, it } from 'vitest';
import { hostNameOf, isLoopbackName } from './host-name.ts';

describe('hostNameOf', () => {
  it.each([
    ['localhost:4000', 'localhost'],
    ['LOCALHOST', 'localhost'],
    ['127.0.0.1:4000', '127.0.0.1'],
    ['[::1]:4000', '[::1]'],
    ['id.example.test', 'id.example.test'],
    ['2130706433', '127.0.0.1'],
  ])('finds the name in %s', (host, name) => {
    expect(hostNameOf(host)).toBe(name);
  });

  it.each([
    '',
    'a@localhost',
    'localhost/x',
    'localhost?',
    'local host',
    'localhost:99999',
    '[::1',
  ])('takes %j for no host', (host) => {
    expect(hostNameOf(host)).toBeNull();
  });
});

describe('isLoopbackName', () => {
  it.each(['localhost', '127.0.0.1', '127.9.8.7', '[::1]'])('%s is this machine', (name) => {
    expect(isLoopbackName(name)).toBe(true);
  });

  it.each(['localhost.example.test', '127.0.0.1.example.test', '192.0.2.1', '[::2]', '0.0.0.0'])(
    '%s may be another one',
    (name) => {
      expect(isLoopbackName(name)).toBe(false);
    },
  );
});
