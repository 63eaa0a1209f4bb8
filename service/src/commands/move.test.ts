import { Command } from 'commander';
import { expect, it } from 'vitest';
import type { CommandContext, MovedTo } from './command-context.ts';
import { moveCommand } from './move.ts';

const DATABASE = 'postgres://miftah@127.0.0.1:5432/miftah';
const FILE = '/var/lib/miftah/miftah.db';

const MOVED: MovedTo = {
  place: DATABASE,
  left: FILE,
  counts: new Map([
    ['users', 1],
    ['api_tokens', 2],
    ['attempts', 0],
    ['audit_log', 3],
  ]),
  isCopied: true,
  isDatabase: true,
  keyFile: null,
};

async function saidOf(changes: Partial<MovedTo>): Promise<string> {
  const lines: string[] = [];
  const context: Pick<CommandContext, 'move' | 'print'> = {
    move: async () => ({ ...MOVED, ...changes }),
    print: (line) => void lines.push(line),
  };
  const program = new Command();
  moveCommand(program, context as CommandContext);
  await program.parseAsync(['move', '--to', 'DATABASE_URL'], { from: 'user' });
  return lines.join('\n');
}

it('says what was moved, and how the service is started now', async () => {
  expect(await saidOf({})).toBe(
    [
      `Moved ${FILE} to ${DATABASE}: 1 person, 2 tokens, 0 sign-ins and 3 rows of the audit log, which is whole.`,
      `Start the service with DATABASE_URL for ${DATABASE}. SECRET_KEY stays the same.`,
      `No service starts on ${FILE} any more. Keep it until the new one has run.`,
    ].join('\n'),
  );
  expect(await saidOf({ place: FILE, left: DATABASE, isDatabase: false })).toContain(
    `Start the service without DATABASE_URL, and with the folder of ${FILE} as DATA_DIR.`,
  );
});

it('names the file of the key where the settings have none', async () => {
  const said = await saidOf({ keyFile: '/var/lib/miftah/secret.key' });
  expect(said).toContain('Its key is in /var/lib/miftah/secret.key: set SECRET_KEY_FILE');
});

it('says that an earlier run had done it', async () => {
  const said = await saidOf({ isCopied: false });
  expect(said).toContain(`An earlier run had copied ${FILE} to ${DATABASE}, which is open now.`);
});
