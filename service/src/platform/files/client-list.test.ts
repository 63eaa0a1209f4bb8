import { describe, expect, it } from 'vitest';
import { hashClientKey, simulatorClient, type Client, ClientList } from '../../account/client.ts';

const SHOP: Client = {
  ...simulatorClient('https://shop.example.test/return'),
  id: 'shop',
  keys: [hashClientKey('mfk_shop_one'), hashClientKey('mfk_shop_two')],
  keyless: ['oidc'],
};
const BANK: Client = { ...SHOP, id: 'bank', keys: [hashClientKey('mfk_bank_key')], keyless: [] };

describe('the list of clients', () => {
  it('knows a client by any of its keys, so that keys can be changed one after the other', () => {
    const list = new ClientList([SHOP, BANK]);
    expect(list.ofKey('mfk_shop_one')?.id).toBe('shop');
    expect(list.ofKey('mfk_shop_two')?.id).toBe('shop');
    expect(list.ofKey('mfk_bank_key')?.id).toBe('bank');
  });

  it.each(['', 'mfk_', 'mfk_shop_onE', 'mfk_shop_one ', 'shop', SHOP.keys[0] ?? ''])(
    'knows nobody by %j',
    (key) => {
      expect(new ClientList([SHOP, BANK]).ofKey(key)).toBeNull();
    },
  );

  it('says who may start a flow without a key', () => {
    const list = new ClientList([BANK, SHOP]);
    expect(list.keyless('oidc')?.id).toBe('shop');
    expect(list.keyless('mfa')).toBeNull();
  });

  it('forgets, when it is replaced, whom it no longer has', () => {
    const list = new ClientList([SHOP]);
    list.replace([BANK]);
    expect(list.find('shop')).toBeNull();
    expect(list.ofKey('mfk_shop_one')).toBeNull();
    expect(list.keyless('oidc')).toBeNull();
    expect(list.find('bank')).toBe(BANK);
  });
});
