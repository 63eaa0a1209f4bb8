import { replyRecord } from '../http/faulty-answer.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { StatusAnswer, StatusBody } from '../http/wire.ts';
import type { ProviderOptions } from '../options.ts';

/** POST /api/v1/mfa/request/status: the status of a push. It never identifies the person. */
export function readPushStatus(app: TypedApp, { engine }: ProviderOptions): void {
  const schema = {
    operationId: 'readMfaStatus',
    summary: 'What has become of a push',
    body: StatusBody,
    response: { 200: StatusAnswer },
  };
  const config = { operation: 'mfa_status' } as const;
  app.post('/api/v1/mfa/request/status', { schema, config }, (request, reply) => {
    const { nationalId, transId: transactionId, random: bindingCode } = request.body;
    const result = engine.pushStatus({ nationalId, transactionId, bindingCode });
    if (result.ok) reply.send({ status: result.status });
    else replyRecord(reply, result.record);
  });
}
