import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { signInByBrowser } from '../support/client/person.ts';
import { drive, shareListening } from '../support/drive/drive.ts';

const strict = shareListening({ STRICT: 'yes' });

/** The status of a request with exactly this path, which no `fetch` would send. */
function statusOf(port: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    request.on('error', reject);
  });
}

describe('threat 113: what comes to the port of a sign-in from a terminal', () => {
  it('is passed over unless it names the attempt, and ends nothing', async () => {
    const another = `/?attempt_id=${randomUUID()}&completion_code=${'A'.repeat(43)}`;
    const statuses: number[] = [];
    const comeBack = async (authorizationUrl: string) => {
      const { port, pathname, search } = await signInByBrowser({ authorizationUrl });
      for (const path of ['/', another, '//', '//[', `/other${search}`, '*']) {
        statuses.push(await statusOf(port, path));
      }
      await statusOf(port, pathname + search);
    };
    const context = { openBrowser: (address: string) => void comeBack(address) };
    const ran = await drive(strict().origin, ['login', '--browser'], { context });
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(statuses).toEqual([404, 404, 404, 404, 404, 404]);
  });
});
