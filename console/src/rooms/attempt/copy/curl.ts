import { printCommand, shellWord, variablesIn, type Pieces } from '../../../api/shell-word.ts';
import type { Entry, Exchange } from '@miftah/contract/control';
import { ascii } from '../../../parts/escapes.ts';
import { jsonPieces, MASKED, textPieces } from './masked.ts';

/** Sent by every client by itself, or only by the browser that it is of. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'user-agent',
  'host',
  'content-length',
  'connection',
  'accept',
  'accept-encoding',
  'accept-language',
  'cookie',
]);
/** With another beginning curl would read a file. */
const HEADER_NAME = /^[\w-]+$/;
/** To curl these mean several addresses. */
const GLOBS = /[[\]{}]/;

/** Whether a request can be sent again from a terminal. A callback goes to the application. */
export function canBeCopied({ side, exchange }: Entry): boolean {
  return exchange !== null && side !== 'callback';
}

/** A command, and the variables that it needs. */
export type Command = { readonly text: string; readonly variables: readonly string[] };
/** How a script runs curl. */
export type Way = {
  /** Becomes a variable; empty where it is sent as it was. */
  readonly attemptId?: string;
  /** Words for curl that stand before the address. */
  readonly options?: readonly string[];
};

/**
 * The command that sends a request again, with a comment that names what has to be set before.
 * @param origin of the instance; the one of an imported attempt may be gone
 */
export function curlOf(exchange: Exchange, origin: string): string {
  const { text, variables } = curlCommand(exchange, origin);
  return [...neededLines(variables), text].join('\n');
}

/** The command that sends a request again, or that of another attempt. */
export function curlCommand(exchange: Exchange, origin: string, way: Way = {}): Command {
  const { attemptId = '', options = [] } = way;
  const { method, request } = exchange;
  const isPlain = method === (request.body === null ? 'GET' : 'POST');
  const address = addressOf(exchange, origin, attemptId);
  const hasGlobs = address.some((piece) => typeof piece === 'string' && GLOBS.test(piece));
  const { printed, words: body } = bodyOf(request, attemptId);
  const words: readonly Pieces[] = [
    ['curl'],
    ['-s'],
    ...options.map((option) => [option]),
    ...(hasGlobs ? [['-g']] : []),
    ...(isPlain ? [] : [['-X'], [ascii(method)]]),
    address,
    ...headersOf(exchange, attemptId).flatMap((header): Pieces[] => [['-H'], header]),
    ...body,
  ];
  const command = words.map(shellWord).join(' ');
  return {
    text: printed === null ? command : `${printCommand(printed)} | ${command}`,
    variables: variablesIn([...words.flat(), ...(printed ?? [])]),
  };
}

/** A comment that names the variables which have to be set before. */
export function neededLines(variables: readonly string[]): readonly string[] {
  const names = [...new Set(variables)];
  return names.length === 0 ? [] : [`# needs ${names.map((name) => `$${name}`).join(', ')}`];
}

function addressOf({ path }: Exchange, origin: string, attemptId: string): Pieces {
  // What follows the origin of this instance can't become a part of its name.
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return [origin, ...textPieces(rooted, { name: 'attempt_id', attemptId }, percentEncoded)];
}

/** With no half of a pair of units, which can't be encoded. The oldest browsers have no `toWellFormed`. */
const wellFormed = (text: string) => text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');

function percentEncoded(text: string): string {
  return wellFormed(text).replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
}

function headersOf({ request }: Exchange, attemptId: string): readonly Pieces[] {
  return Object.entries(request.headers)
    .filter(([name]) => !LEFT_OUT.has(name) && HEADER_NAME.test(name))
    .map(([name, value]) => {
      const isBearer = name === 'authorization' && value === MASKED;
      return [
        `${name}: `,
        ...textPieces(isBearer ? `Bearer ${MASKED}` : value, { name, attemptId }),
      ];
    });
}

type Body = { readonly printed: Pieces | null; readonly words: readonly Pieces[] };

/** `printed`: what the command reads, where it can't be a word in printable ASCII. */
function bodyOf({ body, headers }: Exchange['request'], attemptId: string): Body {
  const place = { name: 'body', attemptId };
  if (body === null) return { printed: null, words: [] };
  if (typeof body === 'object' && isForm(headers)) {
    return { printed: null, words: [['-d'], formPieces(body, attemptId)] };
  }
  if (typeof body !== 'string') return { printed: null, words: [['-d'], jsonPieces(body, place)] };
  const pieces = textPieces(body, place, String);
  const isPrintable = /^[\x20-\x7e]*$/.test(pieces.filter(isText).join(''));
  if (isPrintable) return { printed: null, words: [['--data-raw'], pieces] };
  return { printed: pieces, words: [['--data-binary'], ['@-']] };
}

function isText(piece: Pieces[number]): piece is string {
  return typeof piece === 'string';
}

/** The simulator gives a form as an object of its members. */
function isForm(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
}

function formPieces(members: object, attemptId: string): Pieces {
  return Object.entries(members).flatMap(([name, value], index) => [
    `${index === 0 ? '' : '&'}${formText(name)}=`,
    ...textPieces(String(value), { name, attemptId }, formText),
  ]);
}

const formText = (text: string) => encodeURIComponent(wellFormed(text));
