import type { CallFrame } from './cpu-profile.ts';

/** The layers of the main thread that a request passes through. */
export const LAYERS = {
  native: 'epoll, reading, HTTP parser (native)',
  sending: 'writing to sockets',
  node: "Node's HTTP and streams",
  fastify: 'Fastify, schemas, serialising',
  log: 'log line',
  http: 'routes, request/, server/',
  flow: 'flows, pure files',
  digests: 'digests, HMAC, vault, randomness',
  provider: 'provider, simulator',
  store: 'store: reading, binding, rows',
  messages: 'messages to the writing thread and back',
  collector: 'garbage collector',
  other: 'other',
} as const;

export const IDLE = '(idle)';

type Rule = readonly [url: RegExp, layer: string];

/** The first match counts. Frames that nothing matches belong to the layer of their caller. */
const RULES: readonly Rule[] = [
  [/^node:(?:internal\/)?crypto\b|\/service\/src\/values\/(?:digest|secret)\.ts$/, LAYERS.digests],
  [/\/service\/src\/platform\/(?:keys\/vault|random)\.ts$/, LAYERS.digests],
  [/^node:internal\/(?:worker|per_context\/messageport|event_target)\b/, LAYERS.messages],
  [/^node:(?:_http|net$|events$|timers$|internal\/(?:stream|timers|process))/, LAYERS.node],
  [/\/node_modules\/(?:pino|sonic-boom)\/|\/record\/(?:log-request|request-log)\.ts$/, LAYERS.log],
  [/\/node_modules\//, LAYERS.fastify],
  [/\/service\/src\/(?:(?:origin|request|server)\/|.+\.route\.ts$)/, LAYERS.http],
  [/\/(?:service\/src\/(?:account|attempt|audit|errors|values)|contract\/src)\//, LAYERS.flow],
  [/\/(?:service\/src\/(?:provider|simulate)|simulator\/src)\//, LAYERS.provider],
  [/\/service\/src\/store\//, LAYERS.store],
  [/^(?!node:).*\/src\//, LAYERS.other],
];

const BY_FUNCTION: Readonly<Record<string, string>> = {
  '(idle)': IDLE,
  '(root)': LAYERS.node,
  '(program)': LAYERS.native,
  '(garbage collector)': LAYERS.collector,
  writeUtf8String: LAYERS.sending,
  writeLatin1String: LAYERS.sending,
  writeAsciiString: LAYERS.sending,
  writeBuffer: LAYERS.sending,
  writev: LAYERS.sending,
};

/** Null for native functions, generated code and Node's tools, which work for their caller. */
export function layerOf({ functionName, url }: CallFrame): string | null {
  if (url === '') return BY_FUNCTION[functionName] ?? null;
  return RULES.find(([pattern]) => pattern.test(url))?.[1] ?? null;
}
