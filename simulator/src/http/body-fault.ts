import type { FastifyError } from 'fastify';

export type BodyFault = 'malformedBody' | 'bodyTooLarge' | 'unsupportedMediaType';

const FAULTS: Readonly<Record<number, BodyFault>> = {
  400: 'malformedBody',
  413: 'bodyTooLarge',
  415: 'unsupportedMediaType',
};

/** Of a connection that ended in the middle of a body. Nobody gets the answer. */
const BROKEN_OFF = 'ECONNRESET';

/** The error that Fastify found in a body before its schema was checked; null for other errors. */
export function bodyFaultOf({ code, statusCode }: FastifyError): BodyFault | null {
  if (code === BROKEN_OFF) return 'malformedBody';
  const fromBody = typeof code === 'string' && code.startsWith('FST_ERR_CTP_');
  return fromBody ? (FAULTS[statusCode ?? 0] ?? null) : null;
}
