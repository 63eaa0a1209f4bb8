import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { AtEnd } from '../at-end.ts';

export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * What the provider does with one call. It gets the response object, so it can misbehave in any
 * way.
 */
export type Script = (call: ReceivedCall, response: ServerResponse) => void;

export interface AreaB {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  /** Replaces the script for new calls; current calls keep theirs. */
  act(script: Script): void;
}

/**
 * An identity provider on a real socket that does what the test says. It is closed with the test.
 */
export async function openAreaB(script: Script, atEnd: AtEnd = onTestFinished): Promise<AreaB> {
  let current = script;
  const calls: ReceivedCall[] = [];
  const connections = new Set<Socket>();
  const server = createServer((request, response) => {
    const acting = current;
    const act = async () => {
      const call = await receive(request);
      calls.push(call);
      acting(call, response);
    };
    void act();
  });
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    act(next) {
      current = next;
    },
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://area-b.test');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
  };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Script {
  return raw(JSON.stringify(value), status, { 'content-type': 'application/json', ...headers });
}

export function text(content: string, status: number): Script {
  return raw(content, status, { 'content-type': 'text/plain' });
}

export function raw(
  content: string | Buffer,
  status: number,
  headers: Record<string, string>,
): Script {
  return (_call, response) => void response.writeHead(status, headers).end(content);
}

/** The interface document's error record. */
export function record(code: string, reference = 4711): Script {
  const status = code.slice(0, 3);
  const message = "Couldn't find the requested record.";
  return json({ status, timestamp: null, message, code, reference }, Number(status));
}

/** Reads the call and closes the connection without an answer. */
export const cut: Script = (_call, response) => void response.destroy();

/** Reads the call and never answers. */
export const silence: Script = () => undefined;

export function redirectTo(location: string, status = 302): Script {
  return (_call, response) => void response.writeHead(status, { location }).end();
}

/** One script per path below `/stg`; for every other path the gateway answers. */
export function route(scripts: Readonly<Record<string, Script>>): Script {
  return (call, response) => {
    const script = scripts[call.path.replace(/^\/stg/, '')];
    (script ?? text('No Mapping Rule matched', 404))(call, response);
  };
}
