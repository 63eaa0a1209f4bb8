import type { AnswerFault } from './effects.ts';

/** What the provider's gateway says to a caller that it does not accept. */
export const GATEWAY_REFUSAL = 'Authentication failed';

/** Longer than a client should wait. */
export const SLOW_ANSWER: AnswerFault<'timeout'> = { kind: 'timeout', afterMs: 10_000 };

/** A fault of the answer to a request that was carried out. */
export type DamagedAnswer = Extract<AnswerFault, { kind: 'malformed' | 'cut' | 'timeout' }>;

export function isDamaged(fault: AnswerFault): fault is DamagedAnswer {
  return fault.kind === 'malformed' || fault.kind === 'cut' || fault.kind === 'timeout';
}

/** The statuses of a provider, or of what is in front of it, that does not answer as usual. */
export const FAULT_STATUSES = [403, 429, 500, 502, 503, 504] as const;
export type FaultStatus = (typeof FAULT_STATUSES)[number];

const REASONS: Readonly<Record<Exclude<FaultStatus, 403>, string>> = {
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** A refusal by the gateway, a text of the provider itself, or a page of a proxy before it. */
export function faultOfStatus(status: FaultStatus): AnswerFault<'gateway' | 'outage'> {
  if (status === 403) return { kind: 'gateway', status, text: GATEWAY_REFUSAL };
  const reason = REASONS[status];
  return status === 429 || status === 500
    ? { kind: 'outage', status, mediaType: 'text/plain', body: `${reason}\n` }
    : {
        kind: 'outage',
        status,
        mediaType: 'text/html',
        body: pageOf(`${status} ${reason}`, reason),
      };
}

function pageOf(title: string, heading: string): string {
  return (
    `<!doctype html><html><head><title>${title}</title></head>` +
    `<body><h1>${heading}</h1></body></html>\n`
  );
}
