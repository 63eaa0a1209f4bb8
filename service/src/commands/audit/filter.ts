import { InvalidArgumentError } from 'commander';
import { AUDIT_ACTIONS, type AuditAction } from '../../audit/audit.ts';
import { actionsNamed, parseTimeGiven, type TimeGiven } from '../../audit/filter.ts';

/**
 * One or more actions with commas between them. `token.` stands for all that begin with it.
 * @throws InvalidArgumentError
 */
export function readActions(text: string): readonly AuditAction[] {
  return text.split(',').flatMap((part) => {
    const name = part.trim();
    const found = actionsNamed(name);
    if (found.length > 0) return found;
    throw new InvalidArgumentError(`There is no action ${name}. There are ${namesOf(name)}.`);
  });
}

/** Those of the same subject, or else all. */
function namesOf(name: string): string {
  const [subject = ''] = name.split('.');
  const near = AUDIT_ACTIONS.filter((one) => one.startsWith(`${subject}.`));
  return (near.length > 0 ? near : AUDIT_ACTIONS).join(', ');
}

/** ISO 8601, or a duration as settings have it. @throws InvalidArgumentError */
export function readTime(text: string): TimeGiven {
  const given = parseTimeGiven(text);
  if (given !== null) return given;
  throw new InvalidArgumentError(
    'It is a time with its zone (2026-01-31T09:00:00Z), a day of UTC (2026-01-31), or how long ' +
      'ago (90s, 45m, 12h, 30d).',
  );
}
