import type { AttemptRecord } from '../attempt.ts';
import type { Client } from '../../account/client.ts';
import { Refusal } from '../../errors/refusal.ts';
import { namedReturnAddress } from './return-address.ts';
import type { Services } from '../services.flow.ts';

export interface ReturnTarget {
  readonly client: Client;
  /** Where the attempt's browser is sent back to. */
  readonly address: string;
}

/**
 * The client and the return address of an attempt, by the clients file as it is now: the operator
 * may have removed either since the start, for example because somebody else has the host now.
 * @throws Refusal `attempt.not_found` when one of them was removed
 */
export function requireReturnTarget(
  { clients }: Pick<Services, 'clients'>,
  { client: id, returnAddress }: Pick<AttemptRecord, 'client' | 'returnAddress'>,
): ReturnTarget {
  const client = clients.find(id);
  if (client !== null && returnAddress !== null) {
    const address = namedReturnAddress(client, returnAddress);
    if (address !== null) return { client, address };
  }
  throw new Refusal('attempt.not_found');
}
