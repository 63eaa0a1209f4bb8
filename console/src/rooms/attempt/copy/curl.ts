import type { Entry, Exchange } from '../../../api/types.ts';
import { jsonPieces, textPieces } from './masked.ts';
import { shellWord, variablesIn, type Pieces } from './shell-text.ts';

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

/** Whether a request can be sent again from a terminal. A callback goes to the application. */
export function canBeCopied({ side, exchange }: Entry): boolean {
  return exchange !== null && side !== 'callback';
}

/**
 * The command that sends a request again.
 * @param origin of the instance; the one of an imported attempt may be gone
 */
export function curlOf(exchange: Exchange, origin: string): string {
  const { method, path, request } = exchange;
  const isPlain = method === (request.body === null ? 'GET' : 'POST');
  const words: Pieces[] = [
    [origin, ...textPieces(path, 'attempt_id')],
    ...headersOf(exchange).flatMap((header): Pieces[] => [['-H'], header]),
    ...(request.body === null ? [] : [['-d'], bodyOf(request.body)]),
  ];
  const command = [
    'curl',
    '-s',
    ...(isPlain ? [] : ['-X', shellWord(textPieces(method, 'method'))]),
  ];
  const text = [...command, ...words.map(shellWord)].join(' ');
  return [...neededLines(words.flatMap(variablesIn)), text].join('\n');
}

/** A comment that names the variables which have to be set before. */
function neededLines(variables: readonly string[]): readonly string[] {
  const names = [...new Set(variables)];
  return names.length === 0 ? [] : [`# needs ${names.map((name) => `$${name}`).join(', ')}`];
}

function headersOf({ request }: Exchange): readonly Pieces[] {
  return Object.entries(request.headers)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => {
      const isBearer = name === 'authorization';
      const text = isBearer && value === '[masked]' ? 'Bearer [masked]' : value;
      return [...textPieces(name, name), ': ', ...textPieces(text, name)];
    });
}

function bodyOf(body: unknown): Pieces {
  return typeof body === 'string' ? textPieces(body, 'body') : jsonPieces(body);
}
