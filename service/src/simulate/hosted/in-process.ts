import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import {
  toReply,
  TransportFault,
  type Transport,
  type WireRequest,
} from '../../provider/call/transport.ts';

/** Sends requests from this program to its own routes, without a network. */
export interface InProcess {
  /** Must be called before anything is sent. */
  serve(app: FastifyInstance): void;
  readonly transport: Transport;
  /** Posts JSON. @returns the status of the answer, or null when there was none */
  readonly post: (address: string, json: string) => Promise<number | null>;
}

/** @param origin its host is the Host of the requests */
export function openInProcess(origin: string): InProcess {
  const { host } = new URL(origin);
  const served: { app: FastifyInstance | null } = { app: null };

  async function ask({ method, target, headers, body }: WireRequest) {
    if (served.app === null) throw new TransportFault('not_sent', 'closed');
    const payload = body === null ? {} : { payload: body };
    return served.app.inject({ method, url: target, headers: { ...headers, host }, ...payload });
  }

  return {
    serve: (app) => void (served.app = app),
    transport: {
      async send(request, deadline) {
        const answer = await beforeDeadline(ask(request), deadline);
        const { statusCode, headers, rawPayload } = answer;
        return toReply({ statusCode, headers, body: Readable.from([rawPayload]) });
      },
      async close() {
        served.app = null;
      },
    },
    post: async (address, json) => {
      const { pathname: target } = new URL(address);
      const headers = { 'content-type': 'application/json' };
      const sent = ask({ method: 'POST', target, headers, body: json });
      return sent.then(
        ({ statusCode }) => statusCode,
        () => null,
      );
    },
  };
}

/** Rejects if the connection was cut, or if the answer does not come before the deadline. */
async function beforeDeadline<Answer>(
  answer: Promise<Answer>,
  deadline: AbortSignal,
): Promise<Answer> {
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(new TransportFault('timeout', 'deadline'));
  deadline.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([answer, late.promise]);
  } catch (error) {
    throw error instanceof TransportFault ? error : new TransportFault('lost', 'cut');
  } finally {
    deadline.removeEventListener('abort', giveUp);
  }
}
