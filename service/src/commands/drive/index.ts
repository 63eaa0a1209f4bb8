import type { Command } from 'commander';
import { attemptsCommand } from './attempts.ts';
import { cancelCommand } from './cancel.ts';
import { drillCommand } from '../drill/index.ts';
import { clockCommand, signingKeysCommand } from './clock.ts';
import type { DriveContext } from '../instance/drive-context.ts';
import { faultsCommand } from './faults.ts';
import { listenCommand } from './listen.ts';
import { loginCommand } from './login.ts';
import { nextCommand } from './next.ts';
import { openCommand, sessionCodeCommand } from './open.ts';
import { outcomesCommand, peopleCommand } from '../people/people.ts';
import { timeLineCommands } from './time-line.ts';
import { resetCommand } from './reset.ts';
import { decisionCommands, promptsCommand, waitCommand } from './prompts.ts';

const COMMANDS = [
  loginCommand,
  drillCommand,
  cancelCommand,
  promptsCommand,
  decisionCommands,
  waitCommand,
  listenCommand,
  attemptsCommand,
  timeLineCommands,
  peopleCommand,
  outcomesCommand,
  clockCommand,
  nextCommand,
  faultsCommand,
  resetCommand,
  signingKeysCommand,
  sessionCodeCommand,
  openCommand,
];

/** Adds the commands that drive a running instance over HTTP. */
export function addDriveCommands(program: Command, context: DriveContext): void {
  for (const add of COMMANDS) add(program, context);
}

export type { AskHow, DriveContext } from '../instance/drive-context.ts';
export { DriveFailure, misused, withoutNumbers } from '../instance/failure.ts';
export { linesWithoutControls } from '../instance/without-controls.ts';
