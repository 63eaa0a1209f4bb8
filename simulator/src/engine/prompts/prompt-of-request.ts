import type { Engine } from '../engine.ts';
import type { Prompt } from './prompts.ts';

/** The newest prompt of a request in a scope, in any state; null when the provider was not asked. */
export function promptOfRequest(
  engine: Pick<Engine, 'promptFor'>,
  requestId: string,
  scope: string,
): Prompt | null {
  const push = engine.promptFor('push', requestId, scope);
  return push ?? engine.promptFor('redirect', requestId, scope);
}
