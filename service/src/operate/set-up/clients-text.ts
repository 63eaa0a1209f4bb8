import type { Answers } from '../../commands/init/set-up.ts';
import { hashClientKey } from '../../account/client.ts';

/** The clients file with one application, which has this key. */
export function clientsText(answers: Answers, key: string): string {
  const returns = (answers['client.return-address'] ?? '').split(',');
  const client = {
    id: answers['client.id'],
    name: { ar: answers['client.name-ar'], en: answers['client.name-en'] },
    type: answers['client.type'],
    return_addresses: returns.map((address) => address.trim()),
    keys: [hashClientKey(key)],
  };
  return `${JSON.stringify({ clients: [client] }, null, 2)}\n`;
}
