import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addDriveCommands } from '../../src/commands/drive/index.ts';
import * as exits from '../../src/commands/instance/failure.ts';
import { EXAMPLES } from '../support/drive/examples.ts';
import { codeRows, codesOf, readDocument, sectionOf } from './documents.ts';

const text = readDocument('docs/command-line.md');

/** The rows of the table: name, what it does, operations. */
function rowsOf(program: Command, words = ''): readonly (readonly string[])[] {
  return program.commands.flatMap((command) => {
    const name = `${words} ${command.name()}`.trim();
    if (command.commands.length > 0) return rowsOf(command, name);
    const taken = command.registeredArguments.map((one) =>
      one.required ? `<${one.name()}>` : `[${one.name()}]`,
    );
    const calls = EXAMPLES.filter((one) => one.command === name);
    const ids = calls.flatMap(({ operations }) => operations.map((id) => `\`${id}\``)).join(', ');
    return [[`\`${[name, ...taken].join(' ')}\``, command.description(), ids]];
  });
}

describe('docs/command-line.md', () => {
  it('has each command that drives an instance, with its operations', () => {
    const program = new Command('miftah');
    addDriveCommands(program, {} as never);
    expect(codeRows(sectionOf(text, 'Commands'))).toEqual(rowsOf(program));
  });

  it('has each exit code', () => {
    const codes = Object.entries(exits).filter(([name]) => name.startsWith('EXIT_'));
    const explained = codeRows(sectionOf(text, 'Output')).map(([code = '']) => codesOf(code)[0]);
    expect(explained).toEqual(['0', ...codes.map(([, code]) => String(code))].toSorted(byNumber));
  });
});

const byNumber = (one: string, other: string) => Number(one) - Number(other);
