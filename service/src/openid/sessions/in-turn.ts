import type { IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import type { HttpContext } from '../../request/context.ts';
import { SECOND_MS } from '../../values/time.ts';
import { lockName } from '../records.ts';
import { sessionOf, type Asked } from './session-of-request.ts';

/** Longer than the end of a session takes, shorter than a request waits for a killed instance. */
const LONGEST_MS = 8 * SECOND_MS;

/** Requests of one shared session are answered one after another: each writes what it has read of it. */
export async function inTurn(
  context: HttpContext,
  asked: Asked,
  answer: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const session = sessionOf(context, asked, 'shared');
  if (session === null) return answer();
  const { request, reply } = asked;
  // Whoever sends a form slowly, or half of it, would hold up all others of the session.
  if (request.method === 'POST' && !(await hasCome(request.raw))) return reply.hijack();
  return context.services.attemptLock.run(lockName(`session ${session}`), answer, LONGEST_MS);
}

/** In bytes. The form of a button has its secret alone. */
const LONGEST_FORM = 4096;

/**
 * Waits for the whole form, which stays in the stream: the library reads it there.
 * @returns false where the browser has left, or the server has ended its request as too slow
 * @throws Refusal `request.too_large`
 */
async function hasCome(form: IncomingMessage): Promise<boolean> {
  const isTooLong = () => form.readableLength > LONGEST_FORM;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // The stream takes no more than its buffer holds.
  const look = () => {
    if (form.complete || isTooLong()) resolve(true);
  };
  const leave = () => resolve(false);
  form.on('readable', look).on('error', leave).on('close', leave);
  look();
  const isHere = await promise;
  form.off('readable', look).off('close', leave);
  if (isTooLong()) throw new Refusal('request.too_large');
  return isHere;
}
