import type { OidcClient, Provider } from 'oidc-provider/lib/provider.js';
import { expect, it } from 'vitest';
import type { Client } from '../../account/client.ts';
import type { Clients } from '../../account/clients.port.ts';
import { keepClients } from './client-records.ts';

it('the library makes a client once, and anew where the clients file was read anew', async () => {
  const file = new Map<string, Client>();
  const readAnew = (...ids: string[]) => {
    file.clear();
    for (const id of ids) file.set(id, { id } as Client);
  };
  const made: string[] = [];
  const library = {
    find: async (id: unknown) => {
      made.push(String(id));
      return { clientId: id } as OidcClient;
    },
  };
  const clients = { find: (id) => file.get(id) ?? null } as Pick<Clients, 'find'> as Clients;
  keepClients({ Client: library as unknown as Provider['Client'] }, clients);

  readAnew('shop', 'bank');
  const shop = await library.find('shop');
  expect(await library.find('shop')).toBe(shop);
  await library.find('bank');
  expect(made).toEqual(['shop', 'bank']);

  readAnew('shop');
  expect(await library.find('shop')).not.toBe(shop);
  expect(await library.find('bank')).toBeUndefined();
  expect(made).toEqual(['shop', 'bank', 'shop']);
});
