import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

export interface Answer {
  readonly status: number;
  /** The status line and headers, unparsed. */
  readonly head: string;
  /** Parsed if it is JSON, otherwise the text. */
  readonly body: unknown;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A persistent HTTP/1.1 connection with one request at a time. It supports only what the tested
 * servers use (a Content-Length in every answer), so that it costs less processor time than they
 * do.
 */
export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: Waiting | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server has closed the connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  exchange(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headLength = this.#received.indexOf(HEAD_END);
    if (headLength === -1) return;
    const head = this.#received.toString('latin1', 0, headLength);
    const start = headLength + HEAD_END.length;
    const end = start + contentLength(head);
    if (this.#received.length < end) return;
    const text = this.#received.toString('utf8', start, end);
    const body: unknown = text.startsWith('{') ? JSON.parse(text) : text;
    this.#received = this.#received.subarray(end);
    const waiting = this.#waiting;
    this.#waiting = null;
    // "HTTP/1.1 200 OK": the status is at the same position in every answer.
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, body });
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}

function contentLength(head: string): number {
  const [, digits] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (digits === undefined) throw new Error(`an answer without Content-Length: ${head}`);
  return Number(digits);
}
