import type { AttemptRecord } from '../attempt.ts';
import type { Client } from '../../account/client.ts';
import { Refusal } from '../../errors/refusal.ts';
import { namedReturnAddress } from './return-address.ts';
import type { Services } from '../services.flow.ts';

export interface ReturnTarget {
  readonly client: Client;
  /** Where the attempt's browser is sent back to. */
  readonly address: string;
  /** How the address is told what the sign-in has brought. */
  readonly codeIn: Client['codeIn'];
}

/**
 * The client and the return address of an attempt, by the clients file as it is now: the operator
 * may have removed either since the start, for example because somebody else has the host now.
 * @throws Refusal `attempt.not_found` when one of them was removed
 */
export function requireReturnTarget(
  { clients, openidReturn }: Pick<Services, 'clients' | 'openidReturn'>,
  { client: id, returnAddress }: Pick<AttemptRecord, 'client' | 'returnAddress'>,
): ReturnTarget {
  const client = clients.find(id);
  if (client !== null && returnAddress !== null) {
    const { openid, codeIn } = client;
    // Of a sign-in by OpenID, which ends at an address of ours first.
    if (openid !== null && returnAddress === openidReturn) {
      return { client, address: returnAddress, codeIn: 'query' };
    }
    const address = namedReturnAddress(client, returnAddress);
    if (address !== null) return { client, address, codeIn };
  }
  throw new Refusal('attempt.not_found');
}
