import type { Command } from 'commander';
import { auditCommand } from './audit/audit.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { callsCommand } from './calls.ts';
import { clientCommand } from './client/client.ts';
import type { CommandContext } from './command-context.ts';
import { doctorCommand } from './doctor.ts';
import { initCommand } from './init/index.ts';
import { keysCommand } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { moveCommand } from './move.ts';
import { operatorCommand } from './operator.ts';
import { revokeCommand } from './revoke.ts';
import { startCommand } from './start.ts';
import { userCommand } from './user.ts';
import { webhooksCommand } from './webhooks/webhooks.ts';

const COMMANDS = [
  initCommand,
  startCommand,
  clientCommand,
  userCommand,
  revokeCommand,
  keysCommand,
  callsCommand,
  webhooksCommand,
  operatorCommand,
  auditCommand,
  backupCommand,
  restoreCommand,
  doctorCommand,
  migrateCommand,
  moveCommand,
];

/** Adds the commands of an operator. */
export function addOperatorCommands(program: Command, context: CommandContext): void {
  for (const add of COMMANDS) add(program, context);
}
