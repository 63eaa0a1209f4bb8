export const STORE_MODES = ['simulator', 'live', 'rehearsal'] as const;

/**
 * The provider that the people in a store come from: at another provider the same number is another
 * person.
 */
export interface ProviderIdentity {
  readonly url: string;
  readonly pathPrefix: string;
  readonly issuer: string;
}

/**
 * What a store is for, written into it at the first start. `simulator`: the provider is in this
 * process and has no address. `rehearsal`: a live service whose provider is a simulator.
 */
export type StoreBinding =
  | { readonly mode: 'simulator'; readonly provider: null }
  | { readonly mode: 'live' | 'rehearsal'; readonly provider: ProviderIdentity };

export function isSameBinding(one: StoreBinding, other: StoreBinding): boolean {
  return (
    one.mode === other.mode &&
    one.provider?.url === other.provider?.url &&
    one.provider?.pathPrefix === other.provider?.pathPrefix &&
    one.provider?.issuer === other.provider?.issuer
  );
}

/** Text that an operator can compare with the settings. */
export function describeBinding({ mode, provider }: StoreBinding): string {
  if (provider === null) return `mode ${mode}`;
  const { url, pathPrefix, issuer } = provider;
  return `mode ${mode} with the provider ${url}, path prefix "${pathPrefix}", issuer ${issuer}`;
}
