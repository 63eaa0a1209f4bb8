import { expect, it } from 'vitest';
import { LiveClient } from '../support/live/live-client.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { BANK_KEY, SHOP_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal } from '../support/live/shared-rehearsal.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it('a person’s token of one application neither sees nor ends those of another', async () => {
  await using rehearsal = await openRehearsal();
  const logIn = async (key: string, device_name: string) => {
    const client = new LiveClient(rehearsal, key);
    const started = await client.startRedirect();
    const back = await new PersonBrowser().signIn(started.authorization_url, 'amal');
    const code = back.searchParams.get('completion_code');
    const extra = { completion_code: code, device_name };
    const { data } = await client.redeem(started, extra);
    return { client, token: String(data['token']) };
  };
  const [bank, shop] = [
    await logIn(BANK_KEY, 'Bank, branch 7'),
    await logIn(SHOP_KEY, 'Shop, phone'),
  ];
  const list = await bank.client.get('/tokens', bearer(bank.token));
  const [own] = list.body['data'] as { id: string; device_name: string }[];
  const seen = await shop.client.get('/tokens', bearer(shop.token));
  expect(seen.body['data']).toMatchObject([{ device_name: 'Shop, phone' }]);
  const ended = await shop.client.send(`/tokens/${own?.id}`, {
    method: 'DELETE',
    headers: bearer(shop.token),
  });
  expect([ended.status, ended.code]).toEqual([404, 'token.not_found']);
  expect((await bank.client.user(bank.token)).status).toBe(200);
});
