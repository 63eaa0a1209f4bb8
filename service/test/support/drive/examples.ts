import type { ControlOperation } from '@miftah/contract/control';
import type { Command } from 'commander';

export interface Example {
  /** The words of the command. */
  readonly command: string;
  /** What it is called with, where an attempt by phone waits. */
  readonly args: (attemptId: string, attemptToken: string) => readonly string[];
  /** The operations of the control API that it sends. */
  readonly operations: readonly ControlOperation[];
}

const decision = (command: string): Example => ({
  command,
  args: (id) => [command, id],
  operations: ['listPrompts', 'decidePrompt'],
});

const plain = (
  words: string,
  operation: ControlOperation,
  ...more: readonly string[]
): Example => ({
  command: words,
  args: () => [...words.split(' '), ...more],
  operations: [operation],
});

/** The content of `lamia.json`. */
export const LAMIA = JSON.stringify({
  default: false,
  about: 'Citizen, adult',
  national_id: '1000012301',
  document_type: 'nin',
  arabic_name: { full: 'لمياء', first: 'لمياء', second: null, third: null, last: null },
  english_name: { full: 'Lamia', first: 'Lamia', second: null, third: null, last: null },
  gender: 'F',
  nationality: { code: 'SA', number: 113 },
  birth_date: '1991-03-02',
  email: 'lamia@example.test',
  assurance_level: 3,
  preferred_locale: 'ar',
});

/** A call of each command that drives an instance. A test holds them to what is sent. */
export const EXAMPLES: readonly Example[] = [
  {
    command: 'login',
    args: () => ['login', '--approve'],
    operations: ['listPeople', 'readClock', 'listPrompts', 'decidePrompt'],
  },
  {
    command: 'drill',
    args: () => ['drill', '--phone', '--rate', '1', '--for', '1'],
    operations: ['listPeople', 'listPrompts', 'decidePrompt'],
  },
  { command: 'cancel', args: (id, token) => ['cancel', '--', id, token], operations: [] },
  plain('prompts', 'listPrompts'),
  decision('approve'),
  decision('refuse'),
  decision('not-me'),
  decision('wrong-number'),
  decision('ignore'),
  {
    command: 'wait',
    args: (id) => ['wait', id, '--until', 'prompt'],
    operations: ['waitUntil'],
  },
  plain('listen', 'listWebhooks', '--for', '0'),
  plain('attempts', 'listAttempts'),
  { command: 'attempt', args: (id) => ['attempt', id], operations: ['readAttempt'] },
  { command: 'replay', args: (id) => ['replay', id], operations: ['replayAttempt'] },
  plain('people list', 'listPeople'),
  plain('people show', 'readPerson', 'amal'),
  plain('people put', 'putPerson', 'lamia', 'lamia.json'),
  plain('people remove', 'removePerson', 'hanae'),
  {
    command: 'people generate',
    args: () => ['people', 'generate', '--count', '2'],
    operations: [],
  },
  plain('outcomes', 'listOutcomes'),
  plain('clock show', 'readClock'),
  plain('clock advance', 'moveClock', '1s'),
  plain('clock freeze', 'moveClock'),
  plain('clock skew', 'moveClock', '-2m'),
  plain('clock reset', 'moveClock'),
  plain('next', 'listNext'),
  plain('next', 'queueNext', 'refuses', '--after', '3'),
  plain('next', 'clearNext', '--clear'),
  plain('faults show', 'listFaults'),
  plain('faults set', 'setFaults', '--operation', 'session', '--status', '503', '--times', '1'),
  plain('faults clear', 'setFaults'),
  plain('reset', 'resetScope'),
  plain('signing-keys list', 'listKeys'),
  plain('signing-keys announce', 'announceKey'),
  plain('signing-keys rotate', 'rotateKeys'),
  plain('session-code', 'createSessionCode'),
  { command: 'open', args: () => ['open'], operations: [] },
];

/** The words of each command of a program that does something. */
export function commandsOf(program: Command, words = ''): readonly string[] {
  const found = program.commands.flatMap((command) => {
    const name = `${words} ${command.name()}`.trim();
    return command.commands.length === 0 ? [name] : commandsOf(command, name);
  });
  return found.toSorted();
}
