import { hashClientKey } from '../account/client.ts';
import type { AddCommand } from './command-context.ts';

const KEY_BYTES = 32;

/** `miftah client key`: makes a key, and the hash of it for the clients file. */
export const clientCommand: AddCommand = (program, { random, print }) => {
  program
    .command('client')
    .description('the applications that may use the service')
    .command('key')
    .description('makes a key: the hash is for CLIENTS_FILE, the key for the application')
    .action(() => {
      const key = `mfk_${Buffer.from(random.bytes(KEY_BYTES)).toString('base64url')}`;
      print(`key   ${key}`);
      print(`hash  ${hashClientKey(key)}`);
      print('');
      print('The key is shown this once: give it to the application, as a secret.');
      print('Add the hash to "keys" of the client in CLIENTS_FILE, then send the service SIGHUP.');
    });
};
