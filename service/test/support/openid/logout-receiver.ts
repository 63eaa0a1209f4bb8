import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AtEnd } from '../at-end.ts';
import { plainReceiver } from '../outbound/receiver.ts';

export interface LogoutReceiver {
  readonly uri: string;
  /** The logout tokens that were sent. */
  readonly tokens: string[];
}

/** Keeps what it is sent, and answers with the status that ends the path, or with nothing for 0. */
export function keepLogouts(tokens: string[]): RequestListener {
  const keep = async (request: IncomingMessage, answer: ServerResponse) => {
    const form = new URLSearchParams(await text(request));
    tokens.push(form.get('logout_token') ?? '');
    const status = Number(request.url?.split('/').at(-1));
    if (status === 0) answer.destroy();
    else answer.writeHead(Number.isNaN(status) ? 200 : status, { location: '/logout' }).end();
  };
  return (request, answer) => void keep(request, answer);
}

/** The back end of an application that hears of logouts, on this machine. */
export async function receiverOfLogouts(atEnd: AtEnd): Promise<LogoutReceiver> {
  const tokens: string[] = [];
  const { port } = await plainReceiver(keepLogouts(tokens), atEnd);
  return { uri: `http://127.0.0.1:${port}/logout`, tokens };
}
