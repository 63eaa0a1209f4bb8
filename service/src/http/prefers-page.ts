import type { FastifyRequest } from 'fastify';

/**
 * A browser that shows the answer to a person asks for HTML by name, and prefers it to JSON. A
 * program asks for JSON, for anything, or for nothing (RFC 9110 section 12.5.1).
 */
export function prefersPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const html = weightOf(headers.accept, /^text\/html$/i);
  return html > weightOf(headers.accept, /^application\/(?:problem\+)?json$/i);
}

/** The highest weight of the media ranges that fit; 0 when none does. */
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
