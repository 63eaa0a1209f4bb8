import type { MODES } from '@miftah/contract/values';
import type { Branded } from './brand.ts';
import { printable } from '../attempt/refused-token.ts';

/**
 * The mode of the service, sent with every answer as `X-Auth-Mode`. `simulator`: an invented
 * provider inside this process. `live`: a real provider. `rehearsal`: live mode's rules, with a
 * simulator in another process as the provider.
 */
export type Mode = (typeof MODES)[number];
export { MODES } from '@miftah/contract/values';

/**
 * The provider that the people in a store come from: at another provider the same number is another
 * person. A provider may have a path prefix and an issuer for each flow.
 */
export interface ProviderIdentity {
  readonly url: string;
  readonly pathPrefixes: NonEmpty<string>;
  /** The first one is the name of the provider, which is part of the key of each of its people. */
  readonly issuers: NonEmpty<string>;
}

export type NonEmpty<Value> = readonly [Value, ...Value[]];

/** What a store is for, written into it at the first start. A simulated provider has no address. */
export type StoreBinding =
  | { readonly mode: 'simulator'; readonly provider: null }
  | { readonly mode: Exclude<Mode, 'simulator'>; readonly provider: ProviderIdentity };

/** What can be added to what a store says of its provider. */
export const PROVIDER_NAME_KINDS = ['issuer', 'path_prefix'] as const;

export interface ProviderName {
  readonly kind: (typeof PROVIDER_NAME_KINDS)[number];
  readonly value: string;
}

/** The same as one text, for the audit log: `path_prefix "/stg"`. */
export type ProviderNameText = Branded<string, 'ProviderNameText'>;

const NAME_TEXT = new RegExp(
  `^(?:${PROVIDER_NAME_KINDS.join('|')}) "[\\x20\\x21\\x23-\\x7e]{0,200}"$`,
);

/** A setting of the operator, which is no secret. */
export function textOfName({ kind, value }: ProviderName): ProviderNameText {
  return `${kind} "${printable(value)}"` as ProviderNameText;
}

export function isNameText(text: string): text is ProviderNameText {
  return NAME_TEXT.test(text);
}

/**
 * Whether a store is used as what it is for: it has to know one of the prefixes and one of the
 * issuers. So a setting can be split into one for each flow, and two can become one again.
 */
export function isSameBinding(found: StoreBinding, wish: StoreBinding): boolean {
  if (found.mode !== wish.mode) return false;
  if (found.provider === null || wish.provider === null) return found.provider === wish.provider;
  const [known, wanted] = [found.provider, wish.provider];
  return (
    known.url === wanted.url &&
    known.pathPrefixes.some((one) => wanted.pathPrefixes.includes(one)) &&
    known.issuers.some((one) => wanted.issuers.includes(one))
  );
}

/** The prefixes and issuers of a wish that the store does not know yet. */
export function newNames(found: StoreBinding, wish: StoreBinding): readonly ProviderName[] {
  const known = namesOf(found);
  return namesOf(wish).filter(
    (one) => !known.some(({ kind, value }) => kind === one.kind && value === one.value),
  );
}

function namesOf({ provider }: StoreBinding): readonly ProviderName[] {
  if (provider === null) return [];
  return [
    ...provider.pathPrefixes.map((value) => ({ kind: 'path_prefix', value }) as const),
    ...provider.issuers.map((value) => ({ kind: 'issuer', value }) as const),
  ];
}

/** The same, knowing more names. */
export function withNames(binding: StoreBinding, names: readonly ProviderName[]): StoreBinding {
  const { mode, provider } = binding;
  if (provider === null) return binding;
  const of = (kind: ProviderName['kind']) =>
    names.filter((one) => one.kind === kind).map(({ value }) => value);
  const { url, pathPrefixes, issuers } = provider;
  return {
    mode,
    provider: {
      url,
      pathPrefixes: [...pathPrefixes, ...of('path_prefix')],
      issuers: [...issuers, ...of('issuer')],
    },
  };
}

/** Text that an operator can compare with the settings. */
export function describeBinding({ mode, provider }: StoreBinding): string {
  if (provider === null) return `mode ${mode}`;
  const { url, pathPrefixes, issuers } = provider;
  const prefix = pathPrefixes.map((one) => `"${one}"`).join(' or ');
  const issuer = issuers.join(' or ');
  return `mode ${mode} with the provider ${url}, path prefix ${prefix}, issuer ${issuer}`;
}
