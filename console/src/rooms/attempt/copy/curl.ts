import { printCommand, shellWord, variablesIn, type Pieces } from '../../../api/shell-word.ts';
import type { Entry, Exchange } from '../../../api/types.ts';
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

/**
 * The command that sends a request again.
 * @param origin of the instance; the one of an imported attempt may be gone
 * @param attemptId becomes a variable; empty where it is sent as it was
 */
export function curlOf(exchange: Exchange, origin: string, attemptId = ''): string {
  const { method, request } = exchange;
  const isPlain = method === (request.body === null ? 'GET' : 'POST');
  const address = addressOf(exchange, origin, attemptId);
  const hasGlobs = address.some((piece) => typeof piece === 'string' && GLOBS.test(piece));
  const { printed, words: body } = bodyOf(request.body, attemptId);
  const words: readonly Pieces[] = [
    ['curl'],
    ['-s'],
    ...(hasGlobs ? [['-g']] : []),
    ...(isPlain ? [] : [['-X'], [ascii(method)]]),
    address,
    ...headersOf(exchange, attemptId).flatMap((header): Pieces[] => [['-H'], header]),
    ...body,
  ];
  const command = words.map(shellWord).join(' ');
  const text = printed === null ? command : `${printCommand(printed)} | ${command}`;
  return [...neededLines([...words.flat(), ...(printed ?? [])]), text].join('\n');
}

/** A comment that names the variables which have to be set before. */
function neededLines(pieces: Pieces): readonly string[] {
  const names = [...new Set(variablesIn(pieces))];
  return names.length === 0 ? [] : [`# needs ${names.map((name) => `$${name}`).join(', ')}`];
}

function addressOf({ path }: Exchange, origin: string, attemptId: string): Pieces {
  // What follows the origin of this instance can't become a part of its name.
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return [origin, ...textPieces(rooted, { name: 'attempt_id', attemptId }, percentEncoded)];
}

function percentEncoded(text: string): string {
  return text.toWellFormed().replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
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
function bodyOf(body: unknown, attemptId: string): Body {
  const place = { name: 'body', attemptId };
  if (body === null) return { printed: null, words: [] };
  if (typeof body !== 'string') return { printed: null, words: [['-d'], jsonPieces(body, place)] };
  const pieces = textPieces(body, place, String);
  const isPrintable = /^[\x20-\x7e]*$/.test(pieces.filter(isText).join(''));
  if (isPrintable) return { printed: null, words: [['--data-raw'], pieces] };
  return { printed: pieces, words: [['--data-binary'], ['@-']] };
}

function isText(piece: Pieces[number]): piece is string {
  return typeof piece === 'string';
}
