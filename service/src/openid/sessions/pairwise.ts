import { InvalidRequest } from 'oidc-provider/lib/helpers/errors.js';
import type { OidcClient } from 'oidc-provider/lib/provider.js';
import type { HttpContext } from '../../request/context.ts';
import { keyedDigestText } from '../../values/secret.ts';
import { keptBody, orUnavailable } from '../records.ts';

const SALT_BYTES = 32;
const SALT = { model: 'SubjectSalt', id: 'current' };

/**
 * The `sub` of a person for the clients of one sector. It is made with a salt that is kept in the
 * store and never changed: with a key of the service it would change when that does, and without a
 * secret a client that knows the `sub` of all others could find out what it is elsewhere.
 */
export function pairwise({ services }: HttpContext) {
  const { store, clients, random } = services;
  const made = async () => Buffer.from(random.bytes(SALT_BYTES)).toString('base64url');
  let salt: Promise<string> | null = null;
  return async (_context: unknown, accountId: string, { clientId }: OidcClient) => {
    salt ??= orUnavailable(keptBody(store, SALT, made)).catch((error: unknown) => {
      salt = null;
      throw error;
    });
    const sector = clients.find(clientId)?.openid?.sector ?? null;
    if (sector === null) throw new InvalidRequest('the client has left its sector meanwhile');
    return keyedDigestText(
      Buffer.from(await salt, 'base64url'),
      'openid subject',
      sector,
      accountId,
    );
  };
}
