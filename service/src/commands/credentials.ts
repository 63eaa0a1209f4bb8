import { Option } from 'commander';
import { hashClientKey } from '../account/client.ts';
import { ROLES, type Role } from '../values/operator-role.ts';
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

/** `miftah operator link [--role viewer|support|admin]`. */
export const operatorCommand: AddCommand = (program, context) => {
  program
    .command('operator')
    .description('the pages for operators (OPERATOR_PORT)')
    .command('link')
    .description('makes a link that opens them in a browser: once, within five minutes')
    .addOption(
      new Option('--role <role>', 'what the session may do').choices(ROLES).default('viewer'),
    )
    .action(({ role }: { readonly role: Role }) =>
      context.withStore(async (store, now) => {
        const address = await context.operatorLink(store, role, now);
        if (address === null) return context.fail('OPERATOR_PORT is not set: the pages are off.');
        context.print(address);
        context.tell(`It signs in once, as ${role}, and expires in five minutes.`);
      }),
    );
};
