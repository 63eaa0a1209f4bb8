import type { Command } from 'commander';
import { parseNationalId, type User, type UserId } from '../account/user.ts';
import type { LeftOut } from '../account/exported-user.ts';
import type { Ms } from '../values/time.ts';
import type { Store } from '../store/ports/store.port.ts';
import { readUserId, type CommandContext } from './command-context.ts';
import { counted } from './ended-words.ts';
import { askedReason, REASON, type ReasonOptions } from './reason.ts';
import { jsonWithoutControls } from './instance/without-controls.ts';

export interface PersonOptions {
  readonly nationalId?: true;
}

interface EraseOptions extends PersonOptions, ReasonOptions {
  readonly yes?: true;
  readonly keepOut?: true;
  readonly letBack?: true;
  readonly compact: boolean;
}

export const NATIONAL_ID = [
  '--national-id',
  'reads the national id from standard input, where no other user of the machine sees it',
] as const;

/** `miftah user export [ID] [--national-id]`. */
export function addExport(user: Command, context: CommandContext): void {
  user
    .command('export')
    .argument('[id]', 'as in the answers of the API', readUserId)
    .option(...NATIONAL_ID)
    .option(...REASON)
    .description('prints everything that is stored about a person, as JSON')
    .action(async (id: UserId | undefined, options: PersonOptions & ReasonOptions) => {
      if (!namesOne(context, id, options)) return;
      const reason = await askedReason(context, options);
      if (reason === undefined) return;
      await context.withStore(async (store, now) => {
        const found = await findOne(context, store, id);
        if (found === null) return;
        const { json, leftOut } = await context.exportUser(store, found, now);
        context.print(jsonWithoutControls(json, 2));
        tellLeftOut(context, leftOut);
      }, reason);
    });
}

function tellLeftOut(context: CommandContext, { attempts, pushes, audit }: LeftOut): void {
  if (attempts + pushes + audit === 0) return;
  const rows = [
    counted(attempts, 'attempt'),
    counted(pushes, 'push', 'pushes'),
    counted(audit, 'row of the audit log', 'rows of the audit log'),
  ];
  context.tell(
    `Left out: ${rows.join(', ')}. They ask for a number that another user has too, and nobody ` +
      'knows whose they are.',
  );
}

/** `miftah user erase [ID] [--national-id]`. */
export function addErase(user: Command, context: CommandContext): void {
  user
    .command('erase')
    .argument('[id]', 'as in the answers of the API', readUserId)
    .option(...NATIONAL_ID)
    .option('--yes', 'do it without a question')
    .option('--keep-out', 'keeps a keyed digest, by which the person is refused if they come back')
    .option('--let-back', 'the person may come back as a new user, also one who is disabled')
    .option(...REASON)
    .option('--no-compact', 'leaves out the last step, which rewrites the whole file of the store')
    .description('removes a person and everything about them, for good')
    .action(async (id: UserId | undefined, options: EraseOptions) => {
      if (options.keepOut === true && options.letBack === true) {
        return context.misuse('Say at most one of --keep-out and --let-back.');
      }
      if (!namesOne(context, id, options)) return;
      const reason = await askedReason(context, options);
      if (reason === undefined) return;
      let isErased = false;
      await context.withStore(async (store, now) => {
        const found = await findOne(context, store, id);
        isErased = found !== null && (await erase(context, store, found, { options, now }));
      }, reason);
      if (!isErased) return;
      if (options.compact) context.print(await context.compact());
      context.print('Backups still have the person: see docs/data-retention.md.');
    });
}

async function erase(
  context: CommandContext,
  store: Store,
  user: User,
  { options, now }: { readonly options: EraseOptions; readonly now: Ms },
): Promise<boolean> {
  const keepsOut = options.keepOut ?? (options.letBack === true ? false : null);
  if (user.disabledAt !== null && keepsOut === null) {
    return failed(context, `User ${user.id} is disabled. Say --keep-out or --let-back.`);
  }
  if (!(await confirmErasure(context, user, options))) {
    return failed(context, 'Nothing is erased. Answer yes, or say --yes.');
  }
  const erased = await context.eraseUser(store, user, { keepsOut, at: now });
  if (typeof erased === 'string') {
    return failed(context, `User ${user.id} was changed meanwhile. Nothing is erased.`);
  }
  const { tokens, attempts } = erased;
  const ended = `${counted(tokens, 'token')} and ${counted(attempts, 'attempt')}`;
  context.print(`Erased user ${user.id}, with ${ended}.`);
  return true;
}

async function confirmErasure(
  { ask }: CommandContext,
  { id }: User,
  { yes }: EraseOptions,
): Promise<boolean> {
  if (yes === true) return true;
  const answer = await ask(`Erase user ${id} for good? Type yes: `);
  return answer?.trim() === 'yes';
}

function failed(context: CommandContext, reason: string): false {
  context.fail(reason);
  return false;
}

/** Before the store is opened: whether a user is named, and once. */
export function namesOne(
  { misuse }: CommandContext,
  id: UserId | undefined,
  { nationalId }: PersonOptions,
): boolean {
  const isOne = (id === undefined) !== (nationalId === undefined);
  if (!isOne) misuse('Say either the id of a user or --national-id.');
  return isOne;
}

/** The user that is meant; null after saying why there is none. */
export async function findOne(
  context: CommandContext,
  store: Store,
  id: UserId | undefined,
): Promise<User | null> {
  if (id !== undefined) {
    return (await store.findUser(id)) ?? nobody(context, `There is no user ${id}.`);
  }
  const given = parseNationalId((await context.ask('National id: '))?.trim() ?? '');
  if (given === null) return nobody(context, 'That is no national id.');
  const found = await store.findUsersNamed(given);
  if (found.length > 1) {
    const ids = found.map((user) => user.id).join(', ');
    return nobody(context, `There are several users with it: say one of the ids ${ids}.`);
  }
  return found[0] ?? nobody(context, 'There is no user with it.');
}

function nobody(context: CommandContext, reason: string): null {
  context.fail(reason);
  return null;
}
