/**
 * A whole sign-in as lines for a POSIX shell. They start an attempt of their own, take its id and
 * its token from the answer, and do what the person has done.
 */
import { shellWord, type Pieces } from '../../../api/shell-word.ts';
import type { Exchange, TimeLine } from '@miftah/contract/control';
import { ascii, asciiJson } from '../../../parts/escapes.ts';
import { curlCommand, neededLines, type Command } from './curl.ts';
import { MASKED } from './masked.ts';
import { membersOf, phoneDecisionOf, returnOf, stepOf, type Step } from './steps.ts';

/** The instance that the lines call. */
export type Instance = {
  readonly origin: string;
  /** Whether its control API asks for a token. */
  readonly isGuarded?: boolean;
};

/** Set by the lines themselves. */
const OWN = new Set(['ATTEMPT_ID', 'ATTEMPT_TOKEN', 'COMPLETION_CODE', 'PROMPT_ID']);

/** Null where there is no start of an application: in a simulator that runs by itself. */
export function curlScript(line: TimeLine, instance: Instance): string | null {
  const start = stepOf(line, 'startAttempt');
  if (start === undefined) return null;
  const blocks = [
    startBlock(start, instance),
    ...personBlocks(line, instance),
    ...statusBlocks(line, instance),
    ...tokenBlocks(line, instance),
  ];
  const isAsking = blocks.some(({ text }) => text.includes('read -r'));
  const needed = blocks.flatMap(({ variables }) => variables).filter((name) => !OWN.has(name));
  const text = blocks.map((block) => block.text).join('\n\n');
  // A shell reads all lines of a group before it runs one, so that `read` is not given the next.
  return [...neededLines(needed), isAsking ? `{\n${text}\n}` : text].join('\n');
}

function startBlock({ exchange }: Step, { origin }: Instance): Command {
  const { text, variables } = curlCommand(withoutKey(exchange), origin);
  const lines = [
    `A=$(${text}); echo "$A"`,
    `ATTEMPT_ID=$(echo "$A" | ${member('attempt_id')})`,
    `ATTEMPT_TOKEN=$(echo "$A" | ${member('attempt_token')})`,
  ];
  return { text: lines.join('\n'), variables };
}

/** A part of a pipe that prints the first text member of JSON with this name. */
function member(name: string): string {
  return `grep -o '"${name}":"[^"]*"' | head -1 | cut -d '"' -f 4`;
}

/** With the key of the other attempt, the answer would be that of the other attempt. */
function withoutKey(exchange: Exchange): Exchange {
  const { 'idempotency-key': _key, ...headers } = exchange.request.headers;
  return { ...exchange, request: { ...exchange.request, headers } };
}

/** What stands between the start and the status: nothing, where an outcome was chosen. */
function personBlocks(line: TimeLine, instance: Instance): readonly Command[] {
  const completed = stepOf(line, 'completeMfa') ?? stepOf(line, 'completeRedirect');
  if (completed !== undefined) return [printed(send(completed.exchange, line, instance))];
  const returned = returnOf(line);
  if (returned !== undefined) return [browserBlock(returned, line, instance)];
  const decision = phoneDecisionOf(line);
  if (decision !== undefined) return [phoneBlock(decision, line, instance)];
  return [];
}

const CODE = `grep -o 'completion_code=[A-Za-z0-9_-]*' | cut -d = -f 2`;

/** The page of simulator mode is one form. Of another page only a browser has the cookies. */
function browserBlock(returned: Exchange, line: TimeLine, instance: Instance): Command {
  if (returned.method === 'POST') {
    // The form is answered with a page that leads back: its address is in the header Refresh.
    const options = ['-o', '/dev/null', '-D', '-'];
    const { text, variables } = send(returned, line, instance, options);
    const lines = [`# The person signs in in the browser:`, `COMPLETION_CODE=$(${text} | ${CODE})`];
    return { text: lines.join('\n'), variables };
  }
  const lines = [
    '# The person signs in in the browser:',
    `echo "Open $(echo "$A" | ${member('authorization_url')}) and sign in."`,
    `echo 'Then paste the address that the browser came back to:'; read -r RETURNED`,
    `COMPLETION_CODE=$(echo "$RETURNED" | ${CODE})`,
  ];
  return { text: lines.join('\n'), variables: [] };
}

function phoneBlock(decision: string, line: TimeLine, instance: Instance): Command {
  const prompts = `${instance.origin}/simulator/prompts`;
  const wanted = [`${prompts}?request_id=`, { variable: 'ATTEMPT_ID' }];
  const decided = [`${prompts}/`, { variable: 'PROMPT_ID' }, '/decision'];
  const control = controlWords(line, instance);
  const body: readonly Pieces[] = [
    ['-H'],
    ['content-type: application/json'],
    ['-d'],
    [asciiJson({ decision })],
  ];
  const lines = [
    '# The person answers on the phone:',
    `PROMPT_ID=$(${words([['curl'], ['-s'], wanted, ...control])} | ${member('id')})`,
    `${words([['curl'], ['-s'], decided, ...control, ...body])}; echo`,
  ];
  const variables = instance.isGuarded === true ? ['SIMULATOR_TOKEN'] : [];
  return { text: lines.join('\n'), variables };
}

/** The headers of the control API. */
function controlWords(line: TimeLine, { isGuarded = false }: Instance): readonly Pieces[] {
  const token = ['authorization: Bearer ', { variable: 'SIMULATOR_TOKEN' }];
  const { scope } = line.attempt;
  return [
    ...(scope === 'default' ? [] : [['-H'], [`x-miftah-scope: ${ascii(scope)}`]]),
    ...(isGuarded ? [['-H'], token] : []),
  ];
}

const words = (all: readonly Pieces[]) => all.map(shellWord).join(' ');

/** Asks again until the person, or the provider, has answered. */
function statusBlocks(line: TimeLine, instance: Instance): readonly Command[] {
  const step = stepOf(line, 'readStatus') ?? stepOf(line, 'watchStatus');
  if (step === undefined) return [];
  const { text, variables } = send(step.exchange, line, instance);
  const isPending = `echo "$S" | grep -q '"status":"pending"'`;
  const loop = `while S=$(${text}); echo "$S"; ${isPending}; do sleep 2; done`;
  return [{ text: step.name === 'readStatus' ? loop : text, variables }];
}

function tokenBlocks(line: TimeLine, instance: Instance): readonly Command[] {
  const step = stepOf(line, 'issueToken');
  if (step === undefined) return [];
  const { exchange } = step;
  const isReturned = returnOf(line) !== undefined;
  const code = isReturned ? { completion_code: MASKED } : {};
  const body = { ...membersOf(exchange.request.body), ...code };
  const withCode = { ...exchange, request: { ...exchange.request, body } };
  return [printed(send(withCode, line, instance))];
}

/** A request of the attempt that the lines have started. */
function send(
  exchange: Exchange,
  { attempt }: TimeLine,
  { origin }: Instance,
  options: readonly string[] = [],
): Command {
  return curlCommand(withoutKey(exchange), origin, { attemptId: attempt.id, options });
}

/** With a line end after the answer. */
function printed({ text, variables }: Command): Command {
  return { text: `${text}; echo`, variables };
}
