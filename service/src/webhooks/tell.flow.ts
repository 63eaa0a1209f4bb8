import type { Client } from '../account/client.ts';
import type { Outbox, Sender } from '../store/ports/store.port.ts';

/** Makes the store write down what these clients are to be told. */
export function tellClients(outbox: Outbox, clients: readonly Client[], sender?: Sender): void {
  const subscriptions = clients.flatMap(({ id: client, webhooks }) =>
    webhooks.map(({ id: receiver, events }) => ({ client, receiver, events })),
  );
  outbox.tellTo(subscriptions, sender);
}
