import { describe, expect, it } from 'vitest';
import { addressKey } from './client-address.ts';

describe('what an address is counted under', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['fe80::1', 'fe80::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
  ])('%s is counted under %s', (address, key) => expect(addressKey(address)).toBe(key));

  it.each(['', 'unknown', 'x'.repeat(1000), '999.1.1.1', '::g', '/64', '1.2.3.4:80'])(
    'what is none is counted under itself: %j',
    (text) => expect(addressKey(text)).toBe(text),
  );
});
