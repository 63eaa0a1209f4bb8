import { format, inspect } from 'node:util';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { Secret } from './secret.ts';

const VALUE = 'kept from view';
const secret = new Secret(VALUE);

const ways: readonly (readonly [string, () => string])[] = [
  ['a template', () => `said ${secret as unknown as string}`],
  ['String', () => String(secret)],
  ['joining', () => [secret, secret].join(',')],
  ['adding', () => `x${secret as unknown as string}`],
  ['JSON', () => JSON.stringify({ secret, list: [secret] })],
  ['util.inspect', () => inspect(secret)],
  ['util.inspect, hidden members too', () => inspect({ secret }, { showHidden: true, depth: 9 })],
  ['util.format', () => format('%s %o %O %j', secret, secret, secret, secret)],
  ['an error', () => inspect(new Error('x', { cause: secret }))],
  ['its members', () => JSON.stringify([Object.entries(secret), Reflect.ownKeys(secret)])],
  ['a copy', () => JSON.stringify(Object.assign({}, secret))],
  [
    'a log line',
    () => {
      const lines: string[] = [];
      pino({}, { write: (line: string) => void lines.push(line) }).info(
        { secret },
        'said %s',
        secret,
      );
      return lines.join('');
    },
  ],
];

describe('a secret', () => {
  it.each(ways)('is not shown by %s', (_, print) => expect(print()).not.toContain(VALUE));

  it('says that it is one', () => {
    expect([String(secret), JSON.stringify(secret), inspect(secret)]).toEqual([
      '[secret]',
      '"[secret]"',
      '[secret]',
    ]);
  });

  it('is given to whoever asks for it by name', () => expect(secret.reveal()).toBe(VALUE));
});
