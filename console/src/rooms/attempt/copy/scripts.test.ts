import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, exchange, ID, isPlain, ORIGIN, timeLine } from '../../../../test/support/sent.ts';
import type { Entry } from '@miftah/contract/control';
import { clientScript } from './client-script.ts';
import { curlScript } from './curl-script.ts';

const PHONE = timeLine(
  ['startAttempt', exchange({ body: { locale: 'ar', national_id: '1000001101' } })],
  ['readStatus', exchange({ path: `/api/v1/status/${ID}` })],
  ['readStatus', exchange({ path: `/api/v1/status/${ID}` })],
  [
    'issueToken',
    exchange({
      path: `/api/v1/token/${ID}`,
      body: { attempt_token: '[masked]', device_name: "Amal's" },
    }),
  ],
);

describe('a whole sign-in', () => {
  it('as curl has each step once, with the id and the token of the new attempt', () => {
    const script = curlScript(PHONE, { origin: ORIGIN }) ?? '';
    expect(script.match(/curl -s/g)).toHaveLength(3);
    expect(script).toContain(`"${ORIGIN}/api/v1/status/$ATTEMPT_ID"`);
    expect(script).not.toContain(ID);
    expect(script).not.toContain('# needs');
  });

  it('as curl names what it can not know, and has nothing of another attempt', () => {
    const headers = { authorization: '[masked]', 'idempotency-key': 'the-key-of-the-other' };
    const line = timeLine(['startAttempt', exchange({ headers, body: { locale: 'ar' } })]);
    const entries: Entry[] = [
      ...line.entries,
      {
        number: 2,
        at: '',
        side: 'phone',
        name: 'decision',
        exchange: null,
        act: { decision: `'$(id)\n`, by: 'person' },
      },
    ];
    const attempt = { ...line.attempt, scope: `b'\u202e` };
    const script = curlScript({ ...line, attempt, entries }, { origin: ORIGIN, isGuarded: true });
    expect(script?.split('\n')[0]).toBe('# needs $MIFTAH_KEY, $SIMULATOR_TOKEN');
    expect(script).not.toContain('the-key-of-the-other');
    expect(script).toMatch(/^[\n\x20-\x7e]+$/);
    expect(script).toContain(String.raw`-d '{"decision":"'\''$(id)\n"}'`);
    expect(script).toContain(String.raw`-H 'x-miftah-scope: b'\''?'`);
  });

  it('as client code has its options', () => {
    expect(clientScript(PHONE, `${ORIGIN}/api/v1`)).toBe(
      [
        `import { createClient } from '@miftah/client';`,
        '',
        `const miftah = createClient({ baseUrl: 'http://127.0.0.1:3000/api/v1' });`,
        `const attempt = await miftah.start({ locale: 'ar', nationalId: '1000001101' });`,
        'console.log(attempt.random); // the person chooses it on the phone',
        'const end = await attempt.waitForResult();',
        `if (end.status === 'authenticated') {`,
        String.raw`  const session = await attempt.issueToken({ deviceName: 'Amal\'s' });`,
        '  console.log(session.user.name);',
        '} else {',
        '  console.log(end.status, end.message);',
        '}',
      ].join('\n'),
    );
  });

  it('as client code takes keys and numbers of real people from the environment', () => {
    const script = clientScript(
      timeLine(
        [
          'startAttempt',
          exchange({
            headers: { authorization: '[masked]', 'x-simulate': 'refuses;after=3\u2028' },
            body: { locale: '\u202e\'"\\', national_id: '2•••••••07' },
          }),
        ],
        ['issueToken', exchange({ body: { completion_code: '[masked]' } })],
      ),
      ORIGIN,
    );
    expect(script).toContain('clientKey: process.env.MIFTAH_KEY');
    expect(script).toContain('nationalId: process.env.NATIONAL_ID');
    expect(script).not.toContain('COMPLETION_CODE');
    expect(script).toContain(String.raw`locale: '\u202e\'"\\'`);
    expect(script).toContain('// This attempt began with X-Simulate: refuses;after=3?');
    expect(script).not.toMatch(/[^\n\x20-\x7e]|masked/);
  });

  it('as client code has exactly the texts that were sent', () => {
    fc.assert(
      fc.property(anyText.filter(isPlain), (locale) => {
        const script = clientScript(timeLine(['startAttempt', exchange({ body: { locale } })]), '');
        expect(script).toMatch(/^[\n\x20-\x7e]+$/);
        const [, options = ''] = /login\.start\(session, (.*)\);/.exec(script ?? '') ?? [];
        expect(runInNewContext(`returnAddress = ''; (${options}).locale`)).toBe(locale);
      }),
    );
  });

  it('is not offered where no application has begun', () => {
    const line = timeLine(['session', exchange({ body: {} })]);
    expect([curlScript(line, { origin: ORIGIN }), clientScript(line, ORIGIN)]).toEqual([
      null,
      null,
    ]);
  });
});
