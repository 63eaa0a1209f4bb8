import type { PlantedBug } from '../support/planted-bug.ts';

const AUDIT_FOLLOW = 'service/src/commands/audit/follow.ts';
const CONTROL = 'service/test/drive/control.test.ts';

/** Bugs in the commands that drive an instance. */
export const COMMAND_LINE_BUGS: readonly PlantedBug[] = [
  {
    name: 'audit --cursor keeps its place before the output has the rows',
    edits: [
      {
        file: AUDIT_FOLLOW,
        from: "    if (lines.length > 0) await deliver(lines.join(''));\n",
        to: '',
      },
      {
        file: AUDIT_FOLLOW,
        from: '    file?.write(last);\n',
        to: "    file?.write(last);\n    if (lines.length > 0) await deliver(lines.join(''));\n",
      },
    ],
    test: {
      file: 'service/test/live/audit-follow.test.ts',
      name: 'miftah audit --cursor > keeps its place where the output takes no rows',
    },
  },
  {
    name: 'audit --cursor takes a part that a file has taken for the whole',
    edits: [
      {
        file: 'service/src/cli.ts',
        from: 'if (out === process.stdout && isFile()) return writeAll(text);',
        to: "if (out === process.stdout && isFile()) writeAll('');",
      },
    ],
    test: {
      file: 'service/test/live/audit-follow.test.ts',
      name: 'miftah audit --cursor > keeps its place where a full disk takes a part of the rows, and gives all of them later',
    },
  },
  {
    name: 'audit --cursor goes on in a store that is not the one it has read',
    edits: [
      {
        file: AUDIT_FOLLOW,
        from: 'if (place !== null && !(await log.containsHead(place))) {',
        to: 'if (place !== null && place.count < 0) {',
      },
    ],
    test: {
      file: 'service/test/live/audit-follow.test.ts',
      name: 'miftah audit --cursor > says so where the log no longer has its row: an older store would repeat its numbers',
    },
  },
  {
    name: 'a command follows a redirect, with the token of the control API',
    edits: [
      {
        file: 'contract/src/control-client.ts',
        from: "redirect: 'manual',",
        to: "redirect: 'follow',",
      },
    ],
    test: {
      file: CONTROL,
      name: 'an instance that can not be driven > never gets the token of another one by a redirect',
    },
  },
  {
    name: 'whatever comes to the port of a sign-in is its return',
    edits: [
      {
        file: 'service/src/platform/browser-return.ts',
        from: 'expected !== null && query?.get(member) === id;',
        to: 'expected !== null && query !== null;',
      },
    ],
    test: {
      file: 'service/test/threats/login-port.test.ts',
      name: 'threat 113: what comes to the port of a sign-in from a terminal > is passed over unless it names the attempt, and ends nothing',
    },
  },
  {
    name: 'what an instance says goes to the terminal as it is',
    edits: [
      {
        file: 'service/src/commands/drive/table.ts',
        from: "return withoutControls(text) || '-';",
        to: "return text || withoutControls('-');",
      },
    ],
    test: { file: CONTROL, name: 'on a terminal > can not be steered by what an instance says' },
  },
  {
    name: 'an error of an instance goes to the terminal as it is',
    edits: [
      {
        file: 'service/src/commands/instance/errors.ts',
        from: 'withoutNumbers(withoutControls(line))',
        to: 'withoutNumbers(line || withoutControls(line))',
      },
    ],
    test: {
      file: 'service/test/drive/hostile.test.ts',
      name: 'a hostile instance > can not steer the terminal by an error',
    },
  },
  {
    name: 'a command reads an answer that does not end',
    edits: [
      {
        file: 'contract/src/text-up-to.ts',
        from: 'bytes <= mostBytes',
        to: 'bytes <= mostBytes * 1000',
      },
    ],
    test: {
      file: 'service/test/drive/hostile.test.ts',
      name: 'a hostile instance > can not fill the memory',
    },
  },
  {
    name: 'an error about wrong arguments repeats a national id',
    edits: [
      {
        file: 'service/src/commands/instance/errors.ts',
        from: 'return withoutNumbers(said);',
        to: 'return said;',
      },
    ],
    test: {
      file: CONTROL,
      name: "wrong arguments > [ 'people', '1000001101' ] end with 2 and are not sent",
    },
  },
  {
    name: 'a command does another action than its name says',
    edits: [
      {
        file: 'service/src/commands/drive/prompts.ts',
        from: "{ name: 'not-me', decision: 'not_me',",
        to: "{ name: 'not-me', decision: 'refuse',",
      },
    ],
    test: { file: CONTROL, name: 'a decision > not-me makes it rejected' },
  },
  {
    name: 'a shell is given what an instance calls its people, unread',
    edits: [
      {
        file: 'service/src/commands/drive/complete.ts',
        from: '.filter(([text]) => SAFE_VALUE.test(text))',
        to: '.filter(([text]) => SAFE_VALUE.lastIndex === 0 && text.length > 0)',
      },
    ],
    test: {
      file: 'service/test/drive/complete.test.ts',
      name: 'miftah complete > offers nothing that a shell could run',
    },
  },
  {
    name: 'a list of attempts has those of every scope',
    edits: [
      {
        file: 'service/src/simulate/hosted/hosted-attempts.ts',
        from: 'services.store.newestAttempts(limit, scope, id)',
        to: "services.store.newestAttempts(limit, 'default', id)",
      },
    ],
    test: {
      file: 'service/test/drive/attempts.test.ts',
      name: 'the list of attempts > has those of the scope only',
    },
  },
  {
    name: 'a command that drives an instance loads the service',
    edits: [
      {
        file: 'service/src/cli.ts',
        from: "import { openTerminal } from './commands/terminal/terminal.ts';",
        to: "import { openTerminal } from './commands/terminal/terminal.ts';\nimport './config/config.ts';",
      },
    ],
    test: {
      file: 'service/test/e2e/drive.test.ts',
      name: 'a command that drives an instance loads nothing of the service',
    },
  },
];
