import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { newestRequest } from './exchanges.ts';
import { watchPieces } from './node-parser.ts';

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
