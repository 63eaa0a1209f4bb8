import type { FastifyError } from 'fastify';

export type BodyFault = 'malformedBody' | 'bodyTooLarge' | 'unsupportedMediaType';

const FAULTS: Readonly<Record<number, BodyFault>> = {
  400: 'malformedBody',
  413: 'bodyTooLarge',
  415: 'unsupportedMediaType',
};

/** The error that Fastify found in a body before its schema was checked; null for other errors. */
export function bodyFaultOf({ code, statusCode }: FastifyError): BodyFault | null {
  const fromBody = typeof code === 'string' && code.startsWith('FST_ERR_CTP_');
  return fromBody ? (FAULTS[statusCode ?? 0] ?? null) : null;
}
