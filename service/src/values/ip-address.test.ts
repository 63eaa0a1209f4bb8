import { isIP } from 'node:net';
import { array, assert, constantFrom, ipV4, ipV6, oneof, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress, isWithin, networkOf, parseIpAddress } from './ip-address.ts';

describe('an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6'],
    ['2001:db8::1:4711', '2001:db8::1:4711'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:DB8::1]:65535', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
    ['::1', '::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25en-1.2~x]:443', 'fe80::1'],
  ])('%s is %s', (text, address) => expect(parseIpAddress(text)).toBe(address));

  it.each([
    '',
    'unknown',
    '_hidden',
    'example.com',
    ':'.repeat(16_000),
    '999.1.1.1',
    '1.2.3',
    '1',
    '0x7f000001',
    '010.0.0.1',
    '1.2.3.4:',
    '1.2.3.4:123456',
    '1.2.3.4:https',
    '1.2.3.4%eth0',
    '::g',
    '/64',
    '2001:db8::1/64',
    '[2001:db8::1',
    '2001:db8::1]:80',
    '[]:80',
    '[[::1]]',
    'fe80::1%',
    'fe80::1%a b',
    '::ffff:010.0.0.1',
    '203.0.113.7, 203.0.113.8',
    ' 203.0.113.7',
    '203.0.113.7\r\nx-evil: 1',
  ])('is not %j', (text) => expect(parseIpAddress(text)).toBeNull());

  it('is what Node takes for one, and is read again as itself', () => {
    const group = constantFrom('', '0', '1', '01', '7f', 'ffff', '00001', 'g');
    const number = constantFrom('0', '7', '08', '255', '256', '0x1');
    const v4 = array(number, { minLength: 3, maxLength: 5 }).map((parts) => parts.join('.'));
    const v6 = array(oneof({ weight: 9, arbitrary: group }, v4), { maxLength: 9 });
    const text = oneof(
      v4,
      // Node takes no port after an address of IPv4.
      v6.map((parts) => parts.join(':')).filter((written) => !/^[\d.]+:\d+$/.test(written)),
      ipV4(),
      ipV6(),
    );
    assert(
      property(text, (written) => {
        const address = parseIpAddress(written);
        expect(address !== null, written).toBe(isIP(written) !== 0);
        if (address !== null) expect(parseIpAddress(address)).toBe(address);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('what an address is counted as', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
  ])('%s is counted as %s', (text, counted) => {
    const address = parseIpAddress(text);
    expect(address === null ? null : networkOf(address)).toBe(counted);
  });
});

function read(text: string) {
  const address = parseIpAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

describe('an address that others may have named', () => {
  it.each(['8.8.8.8', '172.15.255.255', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])(
    'is public: %s',
    (text) => expect(isPublicAddress(read(text))).toBe(true),
  );

  it.each([
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.9.9.9',
    '169.254.1.1',
    '172.16.0.1',
    '192.0.0.8',
    '192.168.0.1',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::10.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::808:808',
    '2001::1',
    '2002:808:808::',
    '2001:db8::1',
    'fc00::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '4000::1',
  ])('is not public: %s', (text) => expect(isPublicAddress(read(text))).toBe(false));

  it.each([
    ['10.1.2.3', ['10.0.0.0/8'], true],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
    ['11.1.2.3', ['10.0.0.0/8', 'fd00::/8'], false],
    ['10.0.0.1', ['10.0.0.1'], true],
    ['10.0.0.2', ['10.0.0.1'], false],
    ['fd00::1', ['10.0.0.0/8', 'fd00::/8'], true],
    ['fd00::1', ['fd00::1'], true],
    ['fd00::2', ['fd00::1'], false],
    ['fd00::1', [], false],
  ])('%s is one of %j: %s', (text, networks, is) =>
    expect(isWithin(read(text), networks)).toBe(is),
  );
});
