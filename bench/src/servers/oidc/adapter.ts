/** The store interface of oidc-provider (Adapter). Times are in seconds. */
export interface Adapter {
  upsert(id: string, payload: Payload, expiresIn?: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  findByUserCode(userCode: string): Promise<Payload | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

export interface Payload {
  readonly uid?: string;
  readonly userCode?: string;
  readonly grantId?: string;
  consumed?: number;
}

export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
