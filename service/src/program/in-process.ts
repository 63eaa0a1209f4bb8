import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import {
  toReply,
  TransportFault,
  type Transport,
  type WireRequest,
} from '../provider/call/transport.ts';

/** Requests from this program to its own routes: as over a network, without the network. */
export interface InProcess {
  /** Before this, nothing can be sent. */
  serve(app: FastifyInstance): void;
  readonly transport: Transport;
  /** Posts JSON; the status of the answer, or null when there was none. */
  readonly post: (address: string, json: string) => Promise<number | null>;
}

/** @param origin what the requests name as their host */
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

/** An answer that is cut off rejects; one that comes too late is no longer waited for. */
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
