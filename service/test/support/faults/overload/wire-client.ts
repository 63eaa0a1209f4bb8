import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

export interface Answer {
  readonly status: number;
  /** The status line and headers, unparsed. */
  readonly head: string;
  readonly body: string;
}

/**
 * A persistent connection with one request at a time. It reads only what the service sends, so that
 * a crowd costs less processor time than the service.
 */
export class WireClient {
  readonly #socket: Socket;
  #received = '';
  #waiting: PromiseWithResolvers<Answer> | null = null;
  #isOpen = true;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the service has closed the connection')));
  }

  static open(port: number): Promise<WireClient> {
    const { promise, resolve, reject } = Promise.withResolvers<WireClient>();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(new WireClient(socket));
    });
    return promise;
  }

  /** The service closes connections that are idle for long. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  exchange(request: string): Promise<Answer> {
    if (!this.#isOpen) return Promise.reject(new Error('the service has closed the connection'));
    this.#waiting = Promise.withResolvers();
    this.#socket.write(request);
    return this.#waiting.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const headLength = this.#received.indexOf(HEAD_END);
    if (headLength === -1) return;
    const head = this.#received.slice(0, headLength);
    const start = headLength + HEAD_END.length;
    const end = start + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end) return;
    const body = this.#received.slice(start, end);
    this.#received = this.#received.slice(end);
    const waiting = this.#waiting;
    this.#waiting = null;
    // "HTTP/1.1 200 OK": the status is at the same position in every answer.
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, body });
  }

  #fail(error: Error): void {
    this.#isOpen = false;
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}

/** In seconds; NaN where the answer does not say it. */
export function retryAfter({ head }: Answer): number {
  return Number(/^retry-after: (\d+)$/im.exec(head)?.[1] ?? Number.NaN);
}
