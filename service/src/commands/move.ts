import type { AddCommand, MovedTo } from './command-context.ts';
import { counted } from './ended-words.ts';

/** `miftah move --to PLACE`. */
export const moveCommand: AddCommand = (program, context) => {
  program
    .command('move')
    .requiredOption(
      '--to <place>',
      'DATABASE_URL (that of the settings), a URL without a password, or a folder',
    )
    .description('moves the store from its file to PostgreSQL, or back, while no service runs')
    .action(async ({ to }: { to: string }) => {
      const moved = await context.move(to);
      for (const line of [whatWasMoved(moved), ...whatToDo(moved)]) context.print(line);
    });
};

function whatWasMoved({ place, left, counts, isCopied }: MovedTo): string {
  if (!isCopied) return `An earlier run had copied ${left} to ${place}, which is open now.`;
  const rows = (table: string) => counts.get(table) ?? 0;
  return (
    `Moved ${left} to ${place}: ${counted(rows('users'), 'person', 'people')}, ` +
    `${counted(rows('api_tokens'), 'token', 'tokens')}, ` +
    `${counted(rows('attempts'), 'sign-in', 'sign-ins')} and ` +
    `${counted(rows('audit_log'), 'row', 'rows')} of the audit log, which is whole.`
  );
}

function whatToDo({ left, place, isDatabase, keyFile }: MovedTo): string[] {
  const key =
    keyFile === null
      ? 'SECRET_KEY stays the same.'
      : `Its key is in ${keyFile}: set SECRET_KEY_FILE to that file, or to a copy of it.`;
  const next = isDatabase
    ? `Start the service with DATABASE_URL for ${place}. ${key}`
    : `Start the service without DATABASE_URL, and with the folder of ${place} as DATA_DIR. ${key}`;
  return [next, `No service starts on ${left} any more. Keep it until the new one has run.`];
}
