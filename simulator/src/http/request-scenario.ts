import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PromptKind } from '../engine/prompts/prompts.ts';
import { readScenario, sentenceOf, type Scenario, type ScenarioFault } from '../engine/scenario.ts';

/** One of the headers of a scenario says what is not allowed. */
export class ScenarioRefusal extends Error {
  constructor(fault: ScenarioFault) {
    super(`The header ${fault.header} is not allowed. ${sentenceOf(fault)}`);
    this.name = 'ScenarioRefusal';
  }
}

/** What a test has chosen for this request of area B. @throws ScenarioRefusal */
export function scenarioOf({ headers }: FastifyRequest, kind: PromptKind): Scenario {
  const read = readScenario(headers, kind);
  if (!read.ok) throw new ScenarioRefusal(read.fault);
  return read.scenario;
}

/**
 * The provider has no such headers, so this error is none of its records: it has the form of the
 * control API.
 */
export function replyScenarioRefusal(reply: FastifyReply, error: ScenarioRefusal): FastifyReply {
  const body = { code: 'validation.failed', message: error.message, status: 422 };
  return reply.code(422).type('application/problem+json').send(body);
}
