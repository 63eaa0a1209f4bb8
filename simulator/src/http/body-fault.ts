import type { FastifyError } from 'fastify';

export type BodyFault = 'malformedBody' | 'bodyTooLarge' | 'unsupportedMediaType';

const FAULTS: Readonly<Record<number, BodyFault>> = {
  400: 'malformedBody',
  413: 'bodyTooLarge',
  415: 'unsupportedMediaType',
};

/** What Fastify found wrong with a body before any schema saw it; null for every other error. */
export function bodyFaultOf({ code, statusCode }: FastifyError): BodyFault | null {
  const fromBody = typeof code === 'string' && code.startsWith('FST_ERR_CTP_');
  return fromBody ? (FAULTS[statusCode ?? 0] ?? null) : null;
}
