import type { FastifyInstance } from 'fastify';
import {
  OPERATOR_PLACES,
  operatorClientsPage,
  operatorDoctorPage,
  type ShownClient,
} from '@miftah/pages/operator';
import type { Client } from '../account/client.ts';
import { budgetOf, PUSH_BUDGET } from '../attempt/start/push-budget.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { UNKNOWN_IDS } from '../values/limits.ts';
import type { Ms } from '../values/time.ts';
import type { OperatorContext } from './operator-context.ts';
import { addVisit } from './visit.ts';

/** The state of the service itself, for administrators. */
export function addService(app: FastifyInstance, context: OperatorContext): void {
  const { store } = context;
  addVisit(
    app,
    context,
    { method: 'GET', url: OPERATOR_PLACES.clients, role: 'admin' },
    async ({ reply, now, frame }) => {
      const { client, service } = PUSH_BUDGET;
      const pushes = await store.countPushes(now - client.lengthMs);
      const used = [...pushes.values()].reduce((sum, count) => sum + count, 0);
      const clients = await Promise.all(
        context.clients().map(async (one) => shownClient(context, one, { pushes, now })),
      );
      const page = { ...frame, clients, pushes: { used, quota: service.quota } };
      return sendPage(reply, operatorClientsPage(page), 'self');
    },
  );
  addVisit(
    app,
    context,
    { method: 'GET', url: OPERATOR_PLACES.doctor, role: 'admin' },
    async ({ reply, frame }) => {
      const findings = context.examine === null ? 'away' : null;
      return sendPage(reply, operatorDoctorPage({ ...frame, findings }), 'self');
    },
  );
  // It asks the provider, so a link alone does not start it.
  addVisit(
    app,
    context,
    { method: 'POST', url: OPERATOR_PLACES.doctor, role: 'admin' },
    async ({ reply, frame }) => {
      const findings = (await context.examine?.()) ?? 'away';
      return sendPage(reply, operatorDoctorPage({ ...frame, findings }), 'self');
    },
  );
}

async function shownClient(
  { counts }: OperatorContext,
  { id, name, type, keys, limits }: Client,
  { pushes, now }: { readonly pushes: ReadonlyMap<string, number>; readonly now: Ms },
): Promise<ShownClient> {
  const unknown = await counts.peek(UNKNOWN_IDS, id, now);
  const used = pushes.get(id) ?? 0;
  return {
    id,
    name,
    type,
    keys: keys.length,
    pushes: { used, quota: budgetOf(limits, id).client.quota },
    unknownLeft: unknown.remaining,
  };
}
