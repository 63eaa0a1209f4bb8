import type { FastifyRequest } from 'fastify';
import { checkOf } from '@miftah/schema/check';
import type { Engine } from '../engine/engine.ts';
import type { Prompt } from '../engine/prompts/prompts.ts';
import { DEFAULT_SCOPE, readScope } from '../engine/scenario.ts';
import { ExchangeBody, StatusBody } from '../http/wire.ts';

const exchange = checkOf(ExchangeBody);
const status = checkOf(StatusBody);

/** The scope that the header names, or else that of the prompt that the call is about. */
export function scopeOfCall({ headers, body }: FastifyRequest, engine: Engine): string {
  const { 'x-miftah-scope': named } = headers;
  if (named !== undefined) return readScope({ 'x-miftah-scope': named }) ?? DEFAULT_SCOPE;
  return promptOfCall(body, engine)?.scope ?? DEFAULT_SCOPE;
}

/** The prompt that a body of area B is about; null for none. */
export function promptOfCall(body: unknown, engine: Engine): Prompt | null {
  if (exchange.holds(body)) return engine.signIn(body.state)?.prompt ?? null;
  return status.holds(body) ? engine.promptOfTransaction(body.transId) : null;
}
