import { textUpTo } from '@miftah/contract/text-up-to';
import type { Config } from '../../config/config.ts';
import { operatorRolesFile } from '../../platform/files/operator-roles-file.ts';
import { memberOf } from '../../values/member.ts';
import { SECOND_MS } from '../../values/time.ts';
import { SEE_AUTHORITIES, trustedHere } from './provider.ts';
import { asSentence, fault, ok, warning, type Finding } from './finding.ts';

const ROLES = 'operator.roles';
const ISSUER = 'operator.issuer';
const ANSWER_MS = 5 * SECOND_MS;
const NO_ANSWER = `no answer in ${ANSWER_MS / SECOND_MS} s`;
const ANSWER_BYTES = 1024 * 1024;

/** Where operators sign in at an OpenID provider: the file of their roles, and that provider. */
export async function examineOperator(config: Config): Promise<Finding[]> {
  const people = config.operator?.people ?? null;
  if (people === null) return [];
  return [examineRoles(people.rolesFile), await examineIssuer(people.issuer, config)];
}

/** As the start reads it. */
function examineRoles(path: string): Finding {
  try {
    const { subjects, groups } = operatorRolesFile(path)();
    const what = `OPERATOR_ROLES_FILE can be used: subjects ${subjects.size}, groups ${groups.size}.`;
    return ok(ROLES, what);
  } catch (error) {
    const what = asSentence(error instanceof Error ? error.message : String(error));
    const remedy = 'Correct it: the service does not start with it, and nobody has a role.';
    return fault(ROLES, what, remedy);
  }
}

const OWN_ISSUER =
  'This is the service itself (PUBLIC_URL), which answers while it runs and OPENID is on. If it is ' +
  'stopped, start it and look again; else look at the proxy.';

/** The codes of a chain that ends at an authority which is not trusted here. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

function ofAuthorities(authoritiesFile: string | null): string {
  const trusted = trustedHere(authoritiesFile);
  if (trusted === null) return SEE_AUTHORITIES;
  return `${trusted}. An authority of your own has to be in that PEM file, for the service too.`;
}

type ForIssuer = Pick<Config, 'publicUrl' | 'authoritiesFile'>;

/** Without it nobody but operators is kept out, and they only as long as it is away. */
async function examineIssuer(
  issuer: string,
  { publicUrl, authoritiesFile }: ForIssuer,
): Promise<Finding> {
  const reason = await reasonOf(issuer);
  if (reason === null) return ok(ISSUER, `OPERATOR_ISSUER ${issuer} answers.`);
  const what = `OPERATOR_ISSUER ${issuer} does not say where operators sign in: ${reason}.`;
  if (UNTRUSTED.test(reason)) return warning(ISSUER, what, ofAuthorities(authoritiesFile));
  if (new URL(issuer).origin === publicUrl) return warning(ISSUER, what, OWN_ISSUER);
  const remedy =
    'Nobody can sign in to the pages for operators until it does. Check the setting, the name ' +
    'service and the firewall. An authority of your own belongs into NODE_EXTRA_CA_CERTS.';
  return warning(ISSUER, what, remedy);
}

/** OpenID Connect Discovery 1.0 section 4. Null where its document is that of the issuer. */
async function reasonOf(issuer: string): Promise<string | null> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(address, { redirect: 'manual', signal });
    if (!answer.ok) return `its document is answered with ${answer.status}`;
    const text = await textUpTo(answer, ANSWER_BYTES);
    if (text === null) return 'its document has no end';
    const said = memberOf(JSON.parse(text), 'issuer');
    const isIts = typeof said === 'string' && URL.parse(said)?.href === new URL(issuer).href;
    return isIts ? null : 'its document is for another issuer';
  } catch (error) {
    const code = memberOf(memberOf(error, 'cause'), 'code');
    if (typeof code === 'string') return code;
    if (memberOf(error, 'name') === 'TimeoutError') return NO_ANSWER;
    return error instanceof SyntaxError ? 'its document is no JSON' : String(error);
  }
}
