import type { Socket } from 'node:net';

/**
 * Undocumented parts of Node's connection parser. If a version of Node lacks them, requests still
 * work, and the tests of the connection limits fail.
 */
interface NodeParser {
  /** Called with each request. The result 2 tells the parser that another protocol follows. */
  onIncoming: () => number;
  /** Called with the result of each parsed piece, while its bytes are still available. */
  [ON_EXECUTE]?: ((outcome: unknown) => void) | null;
  getCurrentBuffer(): Buffer;
}

/** `HTTPParser.kOnExecute`. */
const ON_EXECUTE = 5;

const ANOTHER_PROTOCOL = 2;

type Parsed = Socket & { readonly parser?: NodeParser | null };

/**
 * Makes the parser skip what it has not read yet. Without this it makes requests of everything that
 * arrived in the same piece, although the connection is closed: twenty times the work.
 */
export function stopParsing(socket: Parsed): void {
  const { parser } = socket;
  if (parser) parser.onIncoming = () => ANOTHER_PROTOCOL;
}

/**
 * Calls `look` when a piece has been parsed, before an error in it is reported. A listener for the
 * socket's data would do the same but make every request a fifth more expensive, because Node then
 * no longer passes bytes directly from the system to the parser.
 */
export function watchPieces({ parser }: Parsed, look: (piece: () => Buffer) => void): void {
  const report = parser?.[ON_EXECUTE];
  if (!parser || !report) return;
  parser[ON_EXECUTE] = (outcome) => {
    look(() => parser.getCurrentBuffer());
    report(outcome);
  };
}
