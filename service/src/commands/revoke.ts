import type { UserId } from '../account/user.ts';
import type { RevocationCounts, RevocationScope, Store } from '../store/ports/store.port.ts';
import { readUserId, type AddCommand, type CommandContext } from './command-context.ts';
import { endedWords } from './ended-words.ts';
import { askedReason, givenReason, REASON, type ReasonOptions } from './reason.ts';

interface Options extends ReasonOptions {
  readonly all?: true;
  readonly user?: UserId;
  readonly client?: string;
}

/** `miftah revoke --all | --user ID | --client ID`. */
export const revokeCommand: AddCommand = (program, context) => {
  program
    .command('revoke')
    .description('ends API tokens, and sign-ins that are under way')
    .option('--all', 'everybody’s: after a leak, or a restored backup')
    .option('--user <id>', 'of one person', readUserId)
    .option('--client <id>', 'of one application')
    .option(...REASON)
    .action(async (options: Options) => {
      const scope = scopeOf(options);
      if (scope === null) return context.misuse(ONE_SCOPE);
      const isOfPerson = scope !== 'all' && 'userId' in scope;
      const reason = isOfPerson
        ? await askedReason(context, options)
        : givenReason(context, options);
      if (reason === undefined) return;
      await context.withStore(async (store, now) => {
        const unknown = await unknownUser(store, scope);
        if (unknown !== null) return context.fail(unknown);
        const ended = await context.revokeAll(store, scope, now);
        context.print(`Ended ${endedWords(ended)}.`);
        const stranger = await unknownClient(context, scope, ended);
        if (stranger !== null) context.fail(stranger);
      }, reason);
    });
};

const ONE_SCOPE =
  'Say exactly one of --all, --user and --client, such as `miftah revoke --client shop`.';

async function unknownUser(store: Store, scope: RevocationScope): Promise<string | null> {
  if (scope === 'all' || !('userId' in scope)) return null;
  const user = await store.findUser(scope.userId);
  return user === null ? `There is no user ${scope.userId}.` : null;
}

/** An application that was removed may still have had something to end. */
async function unknownClient(
  { isClient }: CommandContext,
  scope: RevocationScope,
  { tokens, attempts }: RevocationCounts,
): Promise<string | null> {
  if (scope === 'all' || !('client' in scope) || tokens + attempts > 0) return null;
  const { client } = scope;
  if (await isClient(client)) return null;
  return `No application ${JSON.stringify(client)} is known: it is not in the clients file, and had nothing to end.`;
}

function scopeOf({ all, user, client }: Options): RevocationScope | null {
  const said = [
    ...(all === undefined ? [] : ['all' as const]),
    ...(user === undefined ? [] : [{ userId: user }]),
    ...(client === undefined ? [] : [{ client }]),
  ];
  return said.length === 1 ? (said[0] ?? null) : null;
}
