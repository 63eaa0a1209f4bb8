import { until } from '../../../../service/test/support/programs/until.ts';
import type { Proxy } from './open-proxy.ts';
import { answersIn, RawClient } from './raw-client.ts';

const PAUSE_MS = 200;

export interface Dripped {
  /** What was answered. */
  readonly text: string;
  /** How many bytes were sent one by one. */
  readonly sent: number;
}

/** Sends the beginning, and then one byte at a time until the connection is over. */
export async function drip(proxy: Proxy, beginning: string, rest: string): Promise<Dripped> {
  const client = new RawClient(proxy);
  await client.write(beginning);
  let sent = 0;
  const clock = setInterval(() => {
    if (sent < rest.length) void client.write(rest.charAt(sent));
    sent += 1;
  }, PAUSE_MS);
  await until(() => client.isClosed || client.text !== '');
  clearInterval(clock);
  client.close();
  return { text: client.text, sent };
}

/** More than the buffers of a system and of a proxy hold. */
const ASKED = 150;
const REQUEST = 'GET /openapi.json HTTP/1.1\r\nHost: login.example.com\r\n\r\n';

/** A client that asks for much and reads nothing. */
export function neverRead(proxy: Proxy) {
  const client = new RawClient(proxy);
  client.socket.pause();
  void client.write(REQUEST.repeat(ASKED));
  return {
    /** Reads now. @returns whether all was answered, and not only what was in buffers */
    async answered(): Promise<boolean> {
      client.socket.resume();
      await until(() => client.isClosed || answersIn(client.text).length === ASKED);
      return answersIn(client.text).length === ASKED;
    },
    close: () => client.close(),
  };
}
