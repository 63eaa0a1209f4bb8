import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { serviceFolder } from './run-folder.ts';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: string };
  }[];
  readonly status?: { readonly code: number };
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ReceivedSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

export interface Collector extends AsyncDisposable {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly origin: string;
  readonly spans: readonly ReceivedSpan[];
  /** Paths and media types of the requests. */
  readonly requests: readonly string[];
  /** The status of further answers. */
  answer: number;
}

/** A collector of traces. What it gets is searched for secrets at the end of the run. */
export async function openCollector(): Promise<Collector> {
  const log = join(serviceFolder('collector'), 'traces.log');
  const spans: ReceivedSpan[] = [];
  const requests: string[] = [];
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    appendFileSync(log, `${body}\n`);
    requests.push(`${request.method} ${request.url} ${request.headers['content-type']}`);
    const { resourceSpans } = JSON.parse(body) as Exported;
    spans.push(...resourceSpans.flatMap((one) => one.scopeSpans.flatMap((each) => each.spans)));
    response.writeHead(collector.answer).end('{}');
  }
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const collector = {
    origin: `http://127.0.0.1:${port}`,
    spans,
    requests,
    answer: 200,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return collector;
}
