import type { Socket } from 'node:net';

/**
 * What Node's parser of a connection can do beyond what is documented. Where a version of Node has
 * it otherwise nothing breaks; tests of the connection's limits then say what is missing.
 */
interface NodeParser {
  /** Called with each request. By 2 it says that what follows is another protocol. */
  onIncoming: () => number;
  /** Called with what became of each piece that has come, while its bytes can still be had. */
  [ON_EXECUTE]?: ((outcome: unknown) => void) | null;
  getCurrentBuffer(): Buffer;
}

/** `HTTPParser.kOnExecute`. */
const ON_EXECUTE = 5;

const ANOTHER_PROTOCOL = 2;

type Parsed = Socket & { readonly parser?: NodeParser | null };

/**
 * Has the parser leave what it has not read yet. Without this it makes a request of each, to the end
 * of what came in one piece, although the connection is closed: twenty times the work.
 */
export function stopParsing(socket: Parsed): void {
  const { parser } = socket;
  if (parser) parser.onIncoming = () => ANOTHER_PROTOCOL;
}

/**
 * Calls `look` when a piece has been parsed, before anybody is told what was wrong with it. A
 * listener for the socket's data would do the same, and have every request cost a fifth more: then
 * the bytes no longer go from the system to the parser without a detour.
 */
export function watchPieces({ parser }: Parsed, look: (piece: () => Buffer) => void): void {
  const report = parser?.[ON_EXECUTE];
  if (!parser || !report) return;
  parser[ON_EXECUTE] = (outcome) => {
    look(() => parser.getCurrentBuffer());
    report(outcome);
  };
}
