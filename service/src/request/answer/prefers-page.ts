import type { FastifyRequest } from 'fastify';

/**
 * Whether HTML is preferred to JSON. A browser asks for HTML by name when it shows the answer to a
 * person; a program asks for JSON, for anything, or states nothing (RFC 9110 section 12.5.1).
 */
export function prefersPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const html = weightOf(headers.accept, /^text\/html$/i);
  return html > weightOf(headers.accept, /^application\/(?:problem\+)?json$/i);
}

/** The highest weight of the media ranges that match; 0 when none does. */
function weightOf(accept: string | undefined, range: RegExp): number {
  const ranges = (accept ?? '').split(',', 30).map((entry) => entry.split(';'));
  const weights = ranges
    .filter(([type = '']) => range.test(type.trim()))
    .map(([, ...parameters]) => qualityOf(parameters));
  return Math.max(0, ...weights);
}

function qualityOf(parameters: readonly string[]): number {
  const quality = parameters.map((text) => text.trim()).find((text) => /^q=/i.test(text));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return Number.isFinite(weight) ? weight : 0;
}
