import type { FastifyRequest } from 'fastify';
import type { Client } from '../domain/client.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { Flow } from '../domain/flow.ts';
import { credentialOf } from './bearer.ts';
import type { HttpContext } from './context.ts';

/** The client whose key the request carries, or null. */
export function clientOf({ tools }: HttpContext, request: FastifyRequest): Client | null {
  return tools.clients.ofKey(credentialOf(request) ?? '');
}

/** An API token is no client key, so it never opens this door. @throws Refusal */
export function requireClient(context: HttpContext, request: FastifyRequest): Client {
  const client = clientOf(context, request);
  if (client === null) throw new Refusal('client.unauthenticated');
  return client;
}

/** Who starts: the owner of the key, or the client that may start this flow without one. @throws Refusal */
export function startingClient(context: HttpContext, request: FastifyRequest, flow: Flow): Client {
  const { clients, rules } = context.tools;
  const asked = rules.startedBy === 'clients' && request.headers.authorization !== undefined;
  const client = asked ? clientOf(context, request) : clients.keyless(flow);
  if (client === null) throw new Refusal('client.unauthenticated');
  return client;
}
