import { expect, it } from 'vitest';
import { createClient } from '../client.ts';
import { checkOptions } from './options.ts';

const good = {
  client: createClient({ baseUrl: 'http://127.0.0.1:1/api/v1' }),
  appUrl: 'https://shop.example',
  secret: 'a secret of this test, which is long enough',
};

it.each(['https://evil.example', '//evil.example', '/\\evil.example', 'home', '/home?a=1', 7])(
  'a path to lead to is one of the application: not %j',
  (callbackURL) => {
    const check = () => checkOptions({ ...good, callbackURL }, 'callbackURL');
    expect(check).toThrow('callbackURL must be a path of the application');
  },
);

it.each(['/', '/home', '/account/me'])('%s is a path to lead to', (callbackURL) => {
  expect(() => checkOptions({ ...good, callbackURL }, 'callbackURL')).not.toThrow();
});
