import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Prevents waiting for ever: longer than every time-out of the service. */
const ANSWER_LIMIT_MS = 120_000;

/**
 * Sends bytes that no HTTP library would send, on one connection after another. Answers are parsed
 * here too, one character per byte, so that no library corrects their faults.
 */
export class RawConnection {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Reuses the connection for the next request if the service keeps it open. Null when no answer
   * came.
   */
  async exchange(bytes: string, method: string): Promise<RawAnswer | null> {
    const isReused = this.#socket !== null;
    const answer = await this.#tryOnce(bytes, method);
    // A reused connection may have been closed just before.
    return answer === null && isReused ? this.#tryOnce(bytes, method) : answer;
  }

  /**
   * Sends on a new connection and nothing more. @returns all answers until the service closes it
   */
  async sendAlone(bytes: string, method: string): Promise<RawAnswer[]> {
    const socket = await this.#open();
    socket.end(bytes, 'latin1');
    const received = await readUntil(socket, () => false);
    socket.destroy();
    const answers: RawAnswer[] = [];
    let rest = received;
    for (let read = readAnswer(rest, method, true); read !== null;) {
      answers.push(read.answer);
      rest = read.rest;
      read = readAnswer(rest, method, true);
    }
    return answers;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  async #tryOnce(bytes: string, method: string): Promise<RawAnswer | null> {
    const socket = (this.#socket ??= await this.#open());
    socket.write(bytes, 'latin1');
    const received = await readUntil(socket, (text) => readAnswer(text, method, false) !== null);
    const read = readAnswer(received, method, socket.readableEnded);
    const isKept = read?.answer.headers.get('connection') === 'keep-alive' && read.rest === '';
    if (!isKept) this.close();
    return read?.answer ?? null;
  }

  async #open(): Promise<Socket> {
    const socket = connect({ port: this.#port, host: '127.0.0.1' }).setEncoding('latin1');
    // A broken connection is seen as a missing answer.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }
}

function readUntil(socket: Socket, isEnough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = () => {
      clearTimeout(guard);
      socket.off('data', take).off('close', finish).off('end', finish);
      resolve(text);
    };
    const take = (piece: string) => {
      text += piece;
      if (isEnough(text)) finish();
    };
    const guard = setTimeout(() => reject(new Error('no answer, and no end')), ANSWER_LIMIT_MS);
    if (socket.destroyed || socket.readableEnded) return finish();
    socket.on('data', take).once('close', finish).once('end', finish);
  });
}

interface Read {
  readonly answer: RawAnswer;
  readonly rest: string;
}

/** Null while the text does not contain a complete answer. */
function readAnswer(text: string, method: string, isAll: boolean): Read | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const rest = text.slice(end + 4);
  // 100 Continue and other interim answers come before the final one.
  if (status < 200) return readAnswer(rest, method, isAll);
  const headers = new Map(lines.map(headerOf));
  const body = readBody(
    rest,
    headers,
    isAll,
    method === 'HEAD' || status === 204 || status === 304,
  );
  if (body === null) return null;
  return { answer: { status, headers, body: body.text }, rest: rest.slice(body.length) };
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [
    line.slice(0, colon).toLowerCase(),
    line
      .slice(colon + 1)
      .trim()
      .toLowerCase(),
  ];
}

function readBody(
  rest: string,
  headers: ReadonlyMap<string, string>,
  isAll: boolean,
  hasNone: boolean,
): { text: string; length: number } | null {
  if (hasNone) return { text: '', length: 0 };
  const length = Number(headers.get('content-length') ?? NaN);
  if (Number.isNaN(length)) return isAll ? { text: rest, length: rest.length } : null;
  if (rest.length < length) return null;
  return { text: Buffer.from(rest.slice(0, length), 'latin1').toString(), length };
}
