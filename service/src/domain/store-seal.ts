export const STORE_MODES = ['simulator', 'live', 'rehearsal'] as const;

/** Which provider a store's people come from: the same number of another one is somebody else. */
export interface ProviderIdentity {
  readonly url: string;
  readonly pathPrefix: string;
  readonly issuer: string;
}

/**
 * What a store is for, written into it at the first start. The simulator lives in the process and
 * has no address; a rehearsal is a live service in front of a provider that is a double.
 */
export type StoreSeal =
  | { readonly mode: 'simulator'; readonly provider: null }
  | { readonly mode: 'live' | 'rehearsal'; readonly provider: ProviderIdentity };

export function isSameSeal(one: StoreSeal, other: StoreSeal): boolean {
  return (
    one.mode === other.mode &&
    one.provider?.url === other.provider?.url &&
    one.provider?.pathPrefix === other.provider?.pathPrefix &&
    one.provider?.issuer === other.provider?.issuer
  );
}

/** For an operator to compare with the settings. */
export function describeSeal({ mode, provider }: StoreSeal): string {
  if (provider === null) return `mode ${mode}`;
  const { url, pathPrefix, issuer } = provider;
  return `mode ${mode} with the provider ${url}, path prefix "${pathPrefix}", issuer ${issuer}`;
}
