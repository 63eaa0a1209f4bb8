import { isDamaged } from '../outcomes/answer-faults.ts';
import type { Engine } from '../engine.ts';
import { sessionFault } from '../outcomes/outcome-of.ts';
import type { Ms } from '../ports.ts';
import type { SessionRequest } from '../requests.ts';
import type { SessionReply } from '../results.ts';
import { scopeOf } from '../scopes.ts';

/** Answers a session request: with a session, and as the outcome that was chosen for it says. */
export function requestSession(
  engine: Engine,
  request: SessionRequest,
  now: Ms = engine.now(),
): SessionReply {
  const earlier = engine.promptFor('redirect', request.requestId, scopeOf(request));
  const isAgain = earlier !== null && engine.stateOf(earlier, now).state === 'waiting';
  const scenario = engine.next.choose(request, 'redirect', isAgain);
  const fault = sessionFault(scenario);
  if (fault !== null && !isDamaged(fault)) return { ok: false, ...fault };
  return { ...engine.createSession({ ...request, scenario }, now), damaged: fault?.kind ?? null };
}
