import type { FastifyRequest } from 'fastify';
import type { Client } from '../../account/client.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Flow } from '../../attempt/flow.ts';
import { callerOf } from './caller.ts';
import type { HttpContext } from '../context.ts';

/** The client whose key the request carries. An API token is not a client key. @throws Refusal */
export function requireClient(context: HttpContext, request: FastifyRequest): Client {
  const { client } = callerOf(context, request);
  if (client === null) throw new Refusal('client.unauthenticated');
  return client;
}

/**
 * The client that starts: the owner of the key, or the one that may start this flow without a key.
 * Where keys are required, a wrong key is refused even if no key was needed.
 * @throws Refusal
 */
export function startingClient(context: HttpContext, request: FastifyRequest, flow: Flow): Client {
  const { clients, rules } = context.services;
  const { client: owner } = callerOf(context, request);
  const isAsked = rules.startedBy === 'clients' && request.headers.authorization !== undefined;
  const client = owner ?? (isAsked ? null : clients.keyless(flow));
  if (client === null) throw new Refusal('client.unauthenticated');
  return client;
}
