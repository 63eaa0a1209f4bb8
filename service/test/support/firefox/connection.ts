import { once } from 'node:events';

/** WebDriver BiDi (W3C): commands and their answers, and events, as JSON over a WebSocket. */

export type Result = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly type?: string;
  readonly method?: string;
  readonly params?: Result;
  readonly result?: Result;
  readonly message?: string;
}

export interface Connection {
  send(method: string, params: Result): Promise<Result>;
  /** One listener for each event. */
  on(method: string, listener: (params: Result) => void): void;
  close(): void;
}

export async function connect(address: string): Promise<Connection> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<Result>>();
  const listeners = new Map<string, (params: Result) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.method !== undefined) listeners.get(message.method)?.(message.params ?? {});
    const asked = waiting.get(message.id ?? 0);
    waiting.delete(message.id ?? 0);
    if (message.type === 'error') asked?.reject(new Error(`Firefox: ${message.message ?? ''}`));
    else asked?.resolve(message.result ?? {});
  });
  return {
    send(method, params) {
      last += 1;
      const answer = Promise.withResolvers<Result>();
      waiting.set(last, answer);
      socket.send(JSON.stringify({ id: last, method, params }));
      return answer.promise;
    },
    on: (method, listener) => void listeners.set(method, listener),
    close: () => socket.close(),
  };
}
