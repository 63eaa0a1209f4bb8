import type { Asked, Probe } from '@miftah/simulator/fidelity';
import type { ProviderAccess } from '../../config/provider-access.ts';
import type { Comparison, ComparisonRequest, Drift } from './drift.ts';
import type { Ms } from '../../values/time.ts';
import { UUID_RANDOM_BYTES, uuidVersion7 } from '../../values/ids.ts';
import type { Clock, Random } from '../../platform/runtime.port.ts';
import { CALL_DEADLINE_MS } from '../../provider/provider-config.ts';
import { orMissing } from '../../simulate/hosted/optional-simulator.ts';
import { compare, withoutRepeats } from './compare.ts';
import { openProvider, openSimulator, type Answer, type Keys, type Side } from './side.ts';
import { compareSignIn, type Card, type SignInTools } from './sign-in.ts';

export interface AgainstTools extends SignInTools {
  readonly clock: Clock;
  readonly random: Random;
  /** Tests give a shorter one. */
  readonly deadlineMs?: Ms;
}

/**
 * Asks a provider and the simulator the same harmless questions, and compares the answers. Nothing
 * of an answer but its form is in the result.
 * @throws Error when the simulator is not installed, or its settings are wrong
 */
export async function compareWithSimulator(
  access: ProviderAccess,
  wanted: Pick<ComparisonRequest, 'identity' | 'signIn'>,
  tools: AgainstTools,
): Promise<Comparison> {
  const card = await orMissing(import('@miftah/simulator/fidelity'), COMPARISON);
  const { appId, appKey, pathPrefixes: prefixes, simulator: environment } = access;
  const keys: Keys = { prefixes, appId, appKey };
  const credentials = { appId: appId.reveal(), appKey: appKey.reveal() };
  const standIn = card.openStandIn({
    environment,
    credentials,
    prefixes: Object.values(prefixes),
  });
  const there = openProvider(access.url, keys, tools.deadlineMs ?? CALL_DEADLINE_MS);
  try {
    const simulator = openSimulator((request) => standIn.ask(request), keys);
    const asked = { requestId: uuidOf(tools), identity: wanted.identity, service: access.service };
    const compared = await compareProbes(card, { simulator, there }, asked);
    if (compared.fault !== null || !wanted.signIn) return compared;
    const { requestId } = asked;
    const signIn = await compareSignIn(card, there, {
      requestId,
      keys,
      credentials,
      environment,
      ...tools,
    });
    return { fault: null, drifts: [...compared.drifts, ...signIn] };
  } finally {
    await Promise.all([there.close(), standIn.close()]);
  }
}

const COMPARISON = { whoNeeds: 'this comparison', instead: '' };

type Sides = Readonly<Record<'simulator' | 'there', Pick<Side, 'ask'>>>;

async function compareProbes(card: Card, sides: Sides, asked: Asked): Promise<Comparison> {
  const drifts: Drift[] = [];
  // The simulator knows only its own people.
  const here: Asked = { ...asked, ...likeOf(card, asked) };
  const there: Asked = { ...asked };
  for (const [place, probe] of card.PROBES.entries()) {
    const own = await askOne(probe, sides.simulator, here);
    const other = await askOne(probe, sides.there, there);
    if (own === null || other === null) continue;
    const fault = place === 0 ? whyNotAsked(other) : null;
    if (fault !== null) return { fault, drifts: [] };
    const behaviourOf = (point: { readonly what: string } = probe) =>
      card.behaviourOf(probe.where, point.what);
    drifts.push(...compare(probe, behaviourOf, own.facts, other.facts));
    Object.assign(here, probe.learn?.(own.value));
    Object.assign(there, probe.learn?.(other.value));
  }
  return { fault: null, drifts: withoutRepeats(drifts) };
}

async function askOne(
  { request, keys }: Probe,
  side: Pick<Side, 'ask'>,
  asked: Asked,
): Promise<Answer | null> {
  const question = request(asked);
  return question === null ? null : side.ask(question, keys);
}

/** Nothing can be compared with who does not answer, or lets nobody in. */
function whyNotAsked({ status, facts }: Answer): string | null {
  if (status === null) return `The provider gave ${facts.get('status') ?? 'no answer'}.`;
  if (status === 401 || status === 403) {
    return (
      `The provider does not accept the keys (status ${status}): check PROVIDER_APP_ID, ` +
      'PROVIDER_APP_KEY, and whether it knows the address of this machine.'
    );
  }
  if (status !== 404) return null;
  return 'The provider does not know the path (status 404): check PROVIDER_PATH_PREFIX.';
}

/** A person of the simulator with the same kind of document. */
function likeOf({ ONE_OF_EACH }: Card, { identity }: Asked): Pick<Asked, 'identity'> {
  if (identity === null) return { identity };
  const alike = ONE_OF_EACH.find(({ nationalId }) => nationalId.startsWith(identity.charAt(0)));
  return { identity: (alike ?? ONE_OF_EACH[0])?.nationalId ?? null };
}

function uuidOf({ clock, random }: AgainstTools): string {
  return uuidVersion7(clock.now(), random.bytes(UUID_RANDOM_BYTES));
}
