import type { FastifyRequest } from 'fastify';
import type { Client } from '../../account/client.ts';
import type { Clients } from '../../account/clients.port.ts';

/** RFC 7617 section 2: a realm is required, and `charset` tells how the text is encoded. */
export const BASIC_CHALLENGE = 'Basic realm="introspection", charset="UTF-8"';

const CREDENTIALS = /^basic +([\da-z+/]+={0,2}) *$/i;

/** Whether Basic was tried where it is taken: the challenge of a refusal repeats the scheme. */
export function triesBasic({ headers, routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.basic === true && /^basic\b/i.test(headers.authorization ?? '');
}

/**
 * The client whose id and key the request carries (RFC 6749 section 2.3.1). Null where the key is
 * another client's, and for everything that can't be read.
 */
export function clientOfBasic(clients: Clients, { headers }: FastifyRequest): Client | null {
  const [, encoded = ''] = CREDENTIALS.exec(headers.authorization ?? '') ?? [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return null;
  const client = clients.ofKey(formDecoded(text.slice(colon + 1)) ?? '');
  return client !== null && client.id === formDecoded(text.slice(0, colon)) ? client : null;
}

function formDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
