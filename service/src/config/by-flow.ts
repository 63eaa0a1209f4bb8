import type { ByFlow } from '../attempt/flow.ts';
import type { Name, Read, Values } from './names.ts';

/** The settings of a value that the two flows have in common, or each for itself. */
interface Names {
  readonly common: Name;
  readonly own: ByFlow<Name>;
}

/**
 * Providers are reported that answer the two flows under different prefixes, and sign the tokens of
 * each with another issuer.
 */
export const BY_FLOW = {
  issuers: {
    common: 'PROVIDER_ISSUER',
    own: { oidc: 'PROVIDER_WEB_ISSUER', mfa: 'PROVIDER_PUSH_ISSUER' },
  },
  pathPrefixes: {
    common: 'PROVIDER_PATH_PREFIX',
    own: { oidc: 'PROVIDER_WEB_PATH_PREFIX', mfa: 'PROVIDER_PUSH_PATH_PREFIX' },
  },
} as const satisfies Readonly<Record<string, Names>>;

type Given = (name: Name) => boolean;

/** The value for each flow: its own, or else the common one. */
export function readByFlow(
  { common, own }: Names,
  read: Read,
  parse: (text: string) => string,
): ByFlow<string> {
  const both = read(common, '', parse);
  return { oidc: read(own.oidc, both, parse), mfa: read(own.mfa, both, parse) };
}

/** @param needed why a value is needed, as in `with PROVIDER=live` */
export function byFlowFaults({ common, own }: Names, values: Values, needed: string): string[] {
  const isGiven: Given = (name) => values[name] !== undefined;
  const given = [own.mfa, own.oidc].filter(isGiven);
  const [first] = given;
  if (isGiven(common)) {
    if (given.length < 2) return [];
    const two = `${own.mfa} and ${own.oidc}`;
    return [`${common} is used by no flow beside ${two}: leave it out, or one of them`];
  }
  if (first === undefined) {
    return [`${common} is needed ${needed}, or ${own.mfa} and ${own.oidc}`];
  }
  if (given.length === 2) return [];
  const missing = first === own.mfa ? own.oidc : own.mfa;
  return [`${missing} is needed beside ${first}, or ${common} for the other flow`];
}

/** As an operator writes them; an empty text for what is not given. */
export function describeByFlow(
  { common, own }: Names,
  { oidc, mfa }: ByFlow<string>,
  given: Values,
): Values {
  const isGiven: Given = (name) => given[name] !== undefined;
  return {
    [common]: isGiven(common) ? (isGiven(own.oidc) ? mfa : oidc) : '',
    [own.mfa]: isGiven(own.mfa) ? mfa : '',
    [own.oidc]: isGiven(own.oidc) ? oidc : '',
  };
}
