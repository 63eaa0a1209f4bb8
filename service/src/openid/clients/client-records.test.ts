import type { OidcClient, Provider } from 'oidc-provider/lib/provider.js';
import { expect, it } from 'vitest';
import type { Client } from '../../account/client.ts';
import type { Clients } from '../../account/clients.port.ts';
import { inScopes, keepClients } from './client-records.ts';

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

it('a client of a scope is one object until the clients file is read anew, for a bounded number', () => {
  let shop = { id: 'shop' } as Client;
  const file = { find: (id) => (id === 'shop' ? shop : null) } as Pick<Clients, 'find'> as Clients;
  const clients = inScopes(file);
  const find = (id: string) => clients.find(id);
  expect(find('shop')).toBe(shop);
  expect(find('bank@one')).toBeNull();
  const kept = find('shop@one');
  expect(kept).toEqual({ id: 'shop@one' });
  expect(find('shop@one')).toBe(kept);
  // Whoever names other scopes again and again takes no more memory.
  for (let other = 0; other < 1000; other += 1) find(`shop@other-${other}`);
  expect(find('shop@one')).not.toBe(kept);
  const again = find('shop@one');
  shop = { ...shop };
  expect(find('shop@one')).not.toBe(again);
});
