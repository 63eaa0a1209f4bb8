import type { UserId } from '../domain/user.ts';
import type { RevocationScope } from '../ports/store/index.ts';
import { readUserId, type AddCommand } from './command-context.ts';
import { endedWords } from './ended-words.ts';

interface Options {
  readonly all?: true;
  readonly user?: UserId;
  readonly client?: string;
}

/** `miftah revoke --all | --user ID | --client ID`. */
export const revokeCommand: AddCommand = (program, context) => {
  program
    .command('revoke')
    .description('ends API tokens, and sign-ins that have not become tokens yet')
    .option('--all', 'everybody’s: after a leak, or a restored backup')
    .option('--user <id>', 'of one person', readUserId)
    .option('--client <id>', 'of one application')
    .action((options: Options) => {
      const scope = scopeOf(options);
      if (scope === null) return context.fail('Say exactly one of --all, --user and --client.');
      return context.withStore(async (store, now) => {
        const { tokens, attempts } = await context.revokeAll(store, scope, now);
        context.print(`Ended ${endedWords({ tokens, attempts })}.`);
      });
    });
};

function scopeOf({ all, user, client }: Options): RevocationScope | null {
  const said = [
    ...(all === undefined ? [] : ['all' as const]),
    ...(user === undefined ? [] : [{ userId: user }]),
    ...(client === undefined ? [] : [{ client }]),
  ];
  return said.length === 1 ? (said[0] ?? null) : null;
}
