import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
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
function watchPieces({ parser }: Parsed, look: (piece: () => Buffer) => void): void {
  const report = parser?.[ON_EXECUTE];
  if (!parser || !report) return;
  parser[ON_EXECUTE] = (outcome) => {
    look(() => parser.getCurrentBuffer());
    report(outcome);
  };
}

/**
 * The most unfinished exchanges per connection. A client may send requests before it has read
 * earlier answers (RFC 9112 section 9.3.2), and each needs memory until its answer was sent.
 */
const MOST_EXCHANGES = 16;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** For each connection the newest exchange, and the earlier ones whose answer was not sent yet. */
const exchanges = new WeakMap<Socket, Exchange[]>();

/** Passes requests to `handle`, except those on a connection that must end. */
export function limitExchanges(handle: RequestListener): RequestListener {
  return (request, response) => {
    if (admit(request, response)) handle(request, response);
  };
}

function admit(request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request;
  const open = exchanges.get(socket) ?? newConnection(socket);
  // More requests may have arrived with the one for which the connection was closed.
  if (socket.writableEnded || isEnding(open)) return false;
  forgetFinished(open);
  if (open.length >= MOST_EXCHANGES) {
    stopParsing(socket);
    socket.destroy();
    return false;
  }
  open.push({ request, response });
  endAfterUpgrade(request, response);
  return true;
}

function newConnection(socket: Socket): Exchange[] {
  const none: Exchange[] = [];
  exchanges.set(socket, none);
  // Each exchange may wait for the end of the connection.
  socket.setMaxListeners(socket.getMaxListeners() + MOST_EXCHANGES);
  return none;
}

/**
 * Changes the list in place: a new list for each request would cost more than all other work here.
 */
function forgetFinished(open: Exchange[]): void {
  let kept = 0;
  for (const exchange of open) {
    if (exchange.response.writableFinished) continue;
    open[kept] = exchange;
    kept += 1;
  }
  open.length = kept;
}

/**
 * Whether the last answer closes the connection. A later request could not be answered, so it must
 * have no effect.
 */
function isEnding(open: readonly Exchange[]): boolean {
  return open.at(-1)?.response.shouldKeepAlive === false;
}

/**
 * Closes the connection after a request with an Upgrade header, which is otherwise answered like
 * any other (RFC 9110 section 7.8). The parser drops the bytes after it, because they may be of the
 * other protocol. A client that sent another request there would take a later answer as the answer
 * to it.
 */
function endAfterUpgrade({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.upgrade !== undefined) response.shouldKeepAlive = false;
}

function exchangesOn(socket: Socket): readonly Exchange[] {
  return exchanges.get(socket) ?? [];
}

/** The latest request of a connection; undefined before the first. */
function newestRequest(socket: Socket): IncomingMessage | undefined {
  return exchangesOn(socket).at(-1)?.request;
}

/** The answer to the latest request of a connection; undefined before the first. */
export function newestResponse(socket: Socket): ServerResponse | undefined {
  return exchangesOn(socket).at(-1)?.response;
}

/**
 * Whether an error answer sent now would be taken as the answer to the malformed bytes. It would
 * not be while a complete request waits for its answer, or if a request was answered before its
 * body arrived.
 */
export function isOurTurn(socket: Socket): boolean {
  return exchangesOn(socket).every(
    ({ request, response }) =>
      request.complete === response.writableEnded &&
      // An answer that has begun would have the error in its middle.
      (response.writableEnded || !response.headersSent),
  );
}

/** What a connection without recent traffic is doing. */
export function standingOf(socket: Socket): 'new' | 'idle' | 'working' | 'stalled' {
  const all = exchangesOn(socket);
  if (all.length === 0) return 'new';
  if (all.every(({ response }) => response.writableFinished)) return 'idle';
  return socket.writableLength > 0 ? 'stalled' : 'working';
}

/** Enough for the request line and Host, which are at the beginning of a head. */
const KEPT_BYTES = 2048;

const keptHeads = new WeakMap<Socket, HeadBytes>();

/** Keeps, for each connection, the beginning of a request head that is not complete yet. */
export function keepHeads(server: Server): void {
  server.on('connection', (socket) => {
    const kept = new HeadBytes();
    keptHeads.set(socket, kept);
    watchPieces(socket, (piece) => kept.look(socket, piece));
  });
}

/** Empty when none is known. */
export function keptHead(socket: Socket): Buffer {
  return keptHeads.get(socket)?.bytes ?? NOTHING;
}

const NOTHING = Buffer.alloc(0);

class HeadBytes {
  bytes = NOTHING;
  #newest: unknown = undefined;
  #isInBody = false;

  /**
   * Called after each piece. A piece belongs to an incomplete head if it completed no request and
   * is not part of a body.
   */
  look(socket: Socket, piece: () => Buffer): void {
    const newest = newestRequest(socket);
    const isOther = newest !== this.#newest || this.#isInBody;
    this.#newest = newest;
    this.#isInBody = newest !== undefined && !newest.complete;
    if (isOther || this.#isInBody) this.bytes = NOTHING;
    else if (this.bytes.length < KEPT_BYTES) this.#add(piece());
  }

  /** Copies the bytes: a view would keep the whole piece in memory. */
  #add(piece: Buffer): void {
    const more = piece.subarray(0, KEPT_BYTES - this.bytes.length);
    this.bytes = Buffer.concat([this.bytes, more]);
  }
}
