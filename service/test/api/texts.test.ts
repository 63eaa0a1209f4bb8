import { describe, expect, it } from 'vitest';
import { expectProblem, redeem, startCompleted } from '../support/service/login.ts';
import { BASE, shareService, type Answer } from '../support/service/test-service.ts';

const service = shareService();
const JSON_TYPE = 'application/json';
const KEY = { authorization: 'Bearer mfk_test_simulator' };

function send(
  path: string,
  payload: string,
  type: string = JSON_TYPE,
  more: Record<string, string> = {},
): Promise<Answer> {
  const headers = { ...more, 'content-type': type };
  return service().request({ method: 'POST', url: BASE + path, headers, payload });
}

describe('a string that is no text', () => {
  /** As in JSON: NUL, and halves of surrogate pairs, which no UTF-8 can hold. */
  const NO_TEXTS = [
    String.raw`\u0000`,
    String.raw`a\u0000b`,
    String.raw`\ud800`,
    String.raw`\udc00\ud800`,
  ];
  const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
  const PLACES = [
    ['/start', 'locale', '{"locale":"$"}'],
    ['/start', 'national_id', '{"national_id":"$","locale":"ar"}'],
    ['/start', 'return_address', '{"locale":"ar","return_address":"http://localhost/$"}'],
    ['/callback', 'state', '{"state":"$","auto_complete":true}'],
    ['/complete-mfa', 'attempt_id', '{"attempt_id":"$"}'],
    [`/token/${ID}`, 'attempt_token', '{"attempt_token":"$"}'],
    [`/token/${ID}`, 'device_name', '{"attempt_token":"x","device_name":"$"}'],
    [`/token/${ID}`, 'completion_code', '{"attempt_token":"x","completion_code":"$"}'],
    ['/introspect', 'token', '{"token":"$"}'],
    ['/introspect', 'token_type_hint', '{"token":"x","token_type_hint":"$"}'],
  ] as const;

  it.each(PLACES)('is refused: %s, %s', async (path, name, body) => {
    for (const text of NO_TEXTS) {
      const answer = await send(path, body.replace('$', text), JSON_TYPE, KEY);
      const { errors, violations } = expectProblem(answer, 'validation.failed');
      expect(violations).toEqual([{ pointer: `/${name}`, code: 'text' }]);
      expect(errors).toEqual({ [name]: [expect.stringContaining('Unicode')] });
    }
  });

  it('is refused wherever it stands, each by its place', async () => {
    const body = String.raw`{"locale":"\u0000","more":["ar","\ud800",{"a/b~c":"\udfff"}]}`;
    const { violations } = expectProblem(await send('/start', body), 'validation.failed');
    const pointers = violations?.map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/locale', '/more/1', '/more/2/a~1b~0c']);
  });

  it('is told from text in escapes', async () => {
    const body = String.raw`{"attempt_token":"x","device_name":"\ud83c\udfe0 \\u0000 \u0644"}`;
    expectProblem(await send(`/token/${ID}`, body), 'attempt.not_found');
  });

  it('changes nothing: the attempt can still be redeemed', async () => {
    const started = await startCompleted(service());
    const wrong = await redeem(service(), started, { device_name: 'a\u0000b' });
    expectProblem(wrong, 'validation.failed');
    const right = await redeem(service(), started, { device_name: 'a b' });
    expect(right.statusCode).toBe(200);
  });

  it('is never an error of ours at the other doors', async () => {
    const nothing = { 'x-provider-attempt-token': 'x', ...KEY };
    const form = 'application/x-www-form-urlencoded';
    const answers = [
      await service().get('/status/%00', nothing),
      await service().get('/callback?state=%00'),
      await service().get('/callback?state=x&locale=%00'),
      await service().get('/tokens?after=%00', KEY),
      await send('/token/%00', '{"attempt_token":"x"}'),
      await send('/introspect', 'token=%00', form, KEY),
      await send('/introspect', 'token=%ed%a0%80', form, KEY),
      await send(`/token/${ID}`, '{"attempt_token":"x"}', JSON_TYPE, {
        'idempotency-key': 'é'.repeat(22),
      }),
    ];
    expect(answers.map(({ statusCode }) => Math.floor(statusCode / 100))).not.toContain(5);
    expect(answers.slice(5, 6).map(({ statusCode }) => statusCode)).toEqual([422]);
  });
});
