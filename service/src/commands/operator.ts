import { Option } from 'commander';
import { ROLES, type Role } from '../values/operator-role.ts';
import type { AddCommand } from './command-context.ts';

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
        if (address === null) return context.fail(NO_LINKS);
        context.print(address);
        context.tell(`It signs in once, as ${role}, and expires in five minutes.`);
      }),
    );
};

const NO_LINKS =
  'There are no links: OPERATOR_PORT is not set, or operators sign in at OPERATOR_ISSUER.';
