import { isoTimestamp } from '../values/time.ts';
import type { UserId } from '../account/user.ts';
import {
  addErase,
  addExport,
  findOne,
  namesOne,
  NATIONAL_ID,
  type PersonOptions,
} from './personal-data.ts';
import { readUserId, type AddCommand, type CommandContext } from './command-context.ts';
import { askedReason, REASON, type ReasonOptions } from './reason.ts';
import type { Ms } from '../values/time.ts';
import type { Store } from '../store/ports/store.port.ts';

/** `miftah user show | disable | enable | export | erase`. */
export const userCommand: AddCommand = (program, context) => {
  const user = program.command('user').description('the people who have signed in');
  addExport(user, context);
  addErase(user, context);
  user
    .command('show')
    .argument('[id]', 'as in the answers of the API', readUserId)
    .option(...NATIONAL_ID)
    .description('when an account has signed in and whether it is disabled, without who it is')
    .action(async (given: UserId | undefined, options: PersonOptions) => {
      if (!namesOne(context, given, options)) return;
      await context.withStore(async (store) => {
        const found = await findOne(context, store, given);
        if (found === null) return;
        const { id, createdAt, updatedAt, disabledAt } = found;
        context.print(`user      ${id}`);
        context.print(`first     ${isoTimestamp(createdAt)}`);
        context.print(`latest    ${isoTimestamp(updatedAt)}`);
        context.print(`disabled  ${disabledAt === null ? 'no' : isoTimestamp(disabledAt)}`);
      });
    });
  user
    .command('disable')
    .argument('<id>', 'as in the answers of the API', readUserId)
    .option(...REASON)
    .description('makes the tokens of an account invalid at once, and gives it no new ones')
    .action((id: UserId, options: ReasonOptions) =>
      change(context, options, async (store, now) => {
        if (!(await store.disableUser(id, now))) return context.fail(`There is no user ${id}.`);
        context.print(`User ${id} is disabled: no token of theirs is good any more.`);
      }),
    );
  user
    .command('enable')
    .argument('<id>', 'as in the answers of the API', readUserId)
    .option(...REASON)
    .description(
      'enables a disabled account; its tokens that were not revoked and have not expired are valid again',
    )
    .action((id: UserId, options: ReasonOptions) =>
      change(context, options, async (store, now) => {
        if (!(await store.enableUser(id, now))) return context.fail(`There is no user ${id}.`);
        context.print(`User ${id} is enabled.`);
      }),
    );
};

async function change(
  context: CommandContext,
  options: ReasonOptions,
  work: (store: Store, now: Ms) => Promise<void>,
): Promise<void> {
  const reason = await askedReason(context, options);
  if (reason !== undefined) await context.withStore(work, reason);
}
