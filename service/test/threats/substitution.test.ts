import { beforeAll, describe, expect, it } from 'vitest';
import { LiveClient } from '../support/live/live-client.ts';
import { BANK_KEY, CLIENTS, SHOP_KEY } from '../support/live/rehearsal.ts';
import { logIn } from '../support/live/live-login.ts';
import { reloadClients } from '../support/live/reload-clients.ts';
import { shareRehearsal } from '../support/live/shared-rehearsal.ts';

const rehearsal = shareRehearsal();
let bank: LiveClient;
let shop: LiveClient;
beforeAll(() => {
  bank = new LiveClient(rehearsal(), BANK_KEY);
  shop = new LiveClient(rehearsal(), SHOP_KEY);
});

function introspected(client: LiveClient, token: string) {
  return client.post('/introspect', { token });
}

/** The answers of the operations that accept the token, each as status and code. */
async function doors(token: string): Promise<readonly string[]> {
  const bearer = { authorization: `Bearer ${token}` };
  const answers = [
    await bank.get('/user', bearer),
    await bank.get('/tokens', bearer),
    await bank.send('/token', { method: 'DELETE', headers: bearer }),
  ];
  return answers.map(({ status, code }) => `${status} ${code}`.trim());
}

describe('threat 62: a token of one application at the back end of another', () => {
  it('says in GET /user which application it was issued to, and is inactive to every other', async () => {
    const token = await logIn(shop);
    const { data } = await bank.user(token);
    expect(data['client_id']).toBe('shop');
    expect(Object.keys(data)).toHaveLength(11);
    expect((await introspected(bank, token)).body).toEqual({ active: false });
    expect((await introspected(shop, token)).body).toMatchObject({
      active: true,
      client_id: 'shop',
    });
  });

  it('ends with its application, at the reload, and no other token does', async () => {
    const [ofShop, ofBank] = [await logIn(shop), await logIn(bank)];
    await reloadClients(rehearsal(), [CLIENTS.bank]);
    const invalid = '401 token.invalid';
    expect(await doors(ofShop)).toEqual([invalid, invalid, invalid]);
    expect((await introspected(shop, ofShop)).code).toBe('client.unauthenticated');
    expect((await introspected(bank, ofShop)).body).toEqual({ active: false });
    expect((await bank.user(ofBank)).status).toBe(200);
    // The operator removed the wrong client, and adds it again.
    await reloadClients(rehearsal(), [CLIENTS.bank, CLIENTS.shop]);
    expect((await shop.user(ofShop)).status).toBe(200);
  });
});
