import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { newestRequest } from './exchanges.ts';
import { watchPieces } from './node-parser.ts';

/** The request line and Host stand at the beginning. */
const KEPT_BYTES = 2048;

const keptHeads = new WeakMap<Socket, KeptHead>();

/** Of each connection the beginning of the head that has not come to its end yet. */
export function keepHeads(server: Server): void {
  server.on('connection', (socket) => {
    const kept = new KeptHead();
    keptHeads.set(socket, kept);
    watchPieces(socket, (piece) => kept.look(socket, piece));
  });
}

/** Empty when nothing is known of it. */
export function keptHead(socket: Socket): Buffer {
  return keptHeads.get(socket)?.bytes ?? NOTHING;
}

const NOTHING = Buffer.alloc(0);

class KeptHead {
  bytes = NOTHING;
  #newest: unknown = undefined;
  #isInBody = false;

  /** After each piece: only one that neither brought a request nor belongs to a body is of a head. */
  look(socket: Socket, piece: () => Buffer): void {
    const newest = newestRequest(socket);
    const isOther = newest !== this.#newest || this.#isInBody;
    this.#newest = newest;
    this.#isInBody = newest !== undefined && !newest.complete;
    if (isOther || this.#isInBody) this.bytes = NOTHING;
    else if (this.bytes.length < KEPT_BYTES) this.#add(piece());
  }

  /** Copied: a part of a piece would keep the whole of it in memory. */
  #add(piece: Buffer): void {
    const more = piece.subarray(0, KEPT_BYTES - this.bytes.length);
    this.bytes = Buffer.concat([this.bytes, more]);
  }
}
