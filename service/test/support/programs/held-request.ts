import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { recordCanaries } from '../canaries/run-folder.ts';
import type { Started } from './api-client.ts';
import type { ServiceProcess } from './service-process.ts';

export interface HeldRequest {
  /** Sends the rest of the body. @returns the answer */
  finish(): Promise<Started>;
}

/**
 * A start request whose body was not sent yet. The service has answered `100 Continue`, so it has
 * certainly started the request, independent of timing.
 */
export async function holdRequest({ origin }: ServiceProcess, body: object): Promise<HeldRequest> {
  const json = JSON.stringify(body);
  const sent = request(`${origin}/api/v1/start`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(json),
      expect: '100-continue',
    },
    agent: false,
  });
  const answered = new Promise<string>((resolve, reject) => {
    sent.once('response', (response) => void text(response).then(resolve, reject));
    sent.once('error', reject);
  });
  // The error is seen by a caller of `finish`; other callers expect the request to break.
  answered.catch(() => undefined);
  sent.flushHeaders();
  await once(sent, 'continue');
  return {
    async finish() {
      sent.end(json);
      const { data } = JSON.parse(await answered) as { data: Started };
      recordCanaries('attempt token', [data.attempt_token]);
      return data;
    },
  };
}
