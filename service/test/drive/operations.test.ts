import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addDriveCommands } from '../../src/commands/drive/index.ts';
import { CONTROL_OPERATIONS } from '@miftah/contract/control';
import { commandsOf, EXAMPLES, LAMIA, type Example } from '../support/drive/examples.ts';
import { drive, shareListening } from '../support/drive/drive.ts';
import { startPhone } from '../support/service/login.ts';

/**
 * Each action of a command is one of the API: what the commands send is held to the OpenAPI
 * document of the control API, in both directions.
 */

const instance = shareListening();

interface Documented {
  readonly method: string;
  readonly path: string;
  readonly id: string;
}

/**
 * What pages show that stay open, a stream of what `miftah prompts` shows and time lines, and the
 * cookie of a browser: a command has the token.
 */
const FOR_PAGES: ReadonlySet<string> = new Set([
  'streamEvents',
  'exportAttempt',
  'beginSession',
  'endSession',
]);

const byId = (one: Documented, other: Documented) => one.id.localeCompare(other.id);

async function documented(): Promise<readonly Documented[]> {
  const answer = await fetch(`${instance().origin}/simulator/openapi.json`);
  const { paths } = (await answer.json()) as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes('Control API'))
      .map(([method, { operationId: id }]) => ({ method: method.toUpperCase(), path, id })),
  );
}

/** The operation that a request asks for; the request itself where there is none. */
function operationOf(sent: string, operations: readonly Documented[]): string {
  const [method, target = ''] = sent.split(' ');
  const [path = ''] = target.split('?');
  const found = operations.find(
    (one) => one.method === method && matches(one.path.split('/'), path.split('/')),
  );
  return found?.id ?? sent;
}

function matches(template: readonly string[], path: readonly string[]): boolean {
  return (
    template.length === path.length &&
    template.every((part, place) => part.startsWith('{') || part === path[place])
  );
}

async function operationsOf({ args, operations }: Example): Promise<readonly string[]> {
  const { service, origin } = instance();
  const { attempt_id: attempt, attempt_token: token } = await startPhone(service);
  const ran = await drive(origin, args(attempt, token), { context: { readFile: () => LAMIA } });
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const known = await documented();
  const sent = ran.sent
    .filter((one) => one.includes('/simulator/'))
    .map((one) => operationOf(one, known));
  expect(ran.sent.length > 0 || operations.length === 0).toBe(true);
  return [...new Set(sent)].toSorted();
}

/** Of tests of applications, and of the console. */
const FOR_TESTS: ReadonlySet<string> = new Set([
  'importAttempt',
  'nextOfOpenid',
  'rotateOpenidKeys',
]);

describe('the commands that drive an instance', () => {
  it('know the operations of the control API, and no other', async () => {
    const known = Object.entries(CONTROL_OPERATIONS).map(([id, one]) => ({ id, ...one }));
    const forPeople = (await documented()).filter(({ id }) => !FOR_PAGES.has(id));
    expect(known.toSorted(byId)).toEqual(forPeople.toSorted(byId));
  });

  it('are each tried here, and each operation has one', () => {
    const program = new Command('miftah');
    addDriveCommands(program, {} as never);
    const tried = EXAMPLES.map(({ command }) => command);
    expect(commandsOf(program)).toEqual([...new Set(tried)].toSorted());
    const used = new Set(EXAMPLES.flatMap(({ operations }) => operations));
    const forCommands = Object.keys(CONTROL_OPERATIONS).filter((id) => !FOR_TESTS.has(id));
    expect([...used].toSorted()).toEqual(forCommands.toSorted());
  });

  it.each(EXAMPLES)('miftah $command sends $operations', async (example) => {
    expect(await operationsOf(example)).toEqual(example.operations.toSorted());
  });
});
