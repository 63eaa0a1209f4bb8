import { parseReason, REASON_FORM, type Reason } from '../audit/act.ts';
import type { CommandContext } from './command-context.ts';

export interface ReasonOptions {
  readonly reason?: string;
}

export const REASON = ['--reason <text>', 'why, for the audit log, without whose it is'] as const;

type Needs = Pick<CommandContext, 'ask' | 'isInteractive' | 'misuse'>;

/** What was said; null where nothing was. Undefined after saying why the command ends. */
export function givenReason(
  { misuse }: Needs,
  { reason }: ReasonOptions,
): Reason | null | undefined {
  if (reason === undefined) return null;
  return parseReason(reason) ?? refused(misuse);
}

/**
 * The same for a command about one person: a person who runs it is asked, and may have none to give. A
 * program is not, so that those of before go on.
 */
export async function askedReason(
  context: Needs,
  options: ReasonOptions,
): Promise<Reason | null | undefined> {
  if (options.reason !== undefined || !context.isInteractive) return givenReason(context, options);
  const answer = await context.ask('Why, for the audit log (Enter for no reason)? ');
  if (answer === null) {
    context.misuse('No reason was given, and nothing was done. Say --reason TEXT.');
    return undefined;
  }
  return answer.trim() === '' ? null : (parseReason(answer) ?? refused(context.misuse));
}

/** Without what was written, which may name a person. */
function refused(misuse: Needs['misuse']): undefined {
  misuse(REASON_FORM);
}
