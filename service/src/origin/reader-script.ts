import { PLACEHOLDER } from '@miftah/contract';
import { API_TOKEN_PREFIXES } from '../account/api-token.ts';
import { BASE_PATH } from '../request/context.ts';

/**
 * Runs in the reader at /docs, so that "Send" works for an unchanged example. Right before a
 * request is sent, the placeholders of attempt and token are replaced by values from earlier
 * answers. If an example needs an attempt and none exists, the script starts one. It keeps
 * everything in memory and sends nothing to other hosts.
 */
export const READER_SCRIPT = `'use strict';
(() => {
  const EXAMPLE = ${JSON.stringify(PLACEHOLDER)};
  const START = '${BASE_PATH}/start';
  const EXAMPLE_API_TOKEN = '${API_TOKEN_PREFIXES.simulator}of-the-last-exchange';
  const PHONE = '1000001101';
  const known = { redirect: null, phone: null, last: null, apiToken: null };

  const remember = (path, body, data) => {
    if (data.attempt_id && data.attempt_token) {
      known.last = known[data.random ? 'phone' : 'redirect'] = data;
    }
    // The attempt that was just completed is used for the next read and exchange.
    for (const one of [known.redirect, known.phone]) {
      if (one && !path.endsWith(START) && body.includes(one.attempt_id)) known.last = one;
    }
    if (data.token) known.apiToken = data.token;
  };

  const start = async (body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(START, { method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.ok) remember(START, '', (await answer.json()).data);
  };

  const fill = async (text) => {
    if (text.includes(EXAMPLE.phoneAttemptId)) {
      if (!known.phone) await start({ locale: 'en', national_id: PHONE });
    } else if (text.includes('/callback')) {
      if (!known.redirect) await start({ locale: 'en' });
    } else if (text.includes(EXAMPLE.attemptId) && !known.last) {
      await start({ locale: 'en' });
    }
    const { redirect, phone, last, apiToken } = known;
    const attempt = text.includes('/callback') ? redirect : last;
    return text
      .replaceAll(EXAMPLE.phoneAttemptId, phone?.attempt_id ?? EXAMPLE.phoneAttemptId)
      .replaceAll(EXAMPLE.attemptId, attempt?.attempt_id ?? EXAMPLE.attemptId)
      .replaceAll(EXAMPLE.attemptToken, attempt?.attempt_token ?? EXAMPLE.attemptToken)
      .replaceAll(EXAMPLE_API_TOKEN, apiToken ?? EXAMPLE_API_TOKEN);
  };

  const send = async (input, init) => {
    const asked = new Request(input, init);
    const body = await asked.clone().text();
    const parts = JSON.stringify([asked.url, [...asked.headers], body]);
    const [url, headers, filled] = JSON.parse(await fill(parts));
    const { method } = asked;
    // Without the reader's signal: it aborts when its panel is closed, and a token that was issued
    // by then would be lost.
    const answer = await fetch(url, { method, headers, body: body === '' ? undefined : filled });
    const said = await answer.clone().json().catch(() => null);
    if (answer.ok && said) remember(url, filled, said.data ?? said);
    return answer;
  };

  Scalar.createApiReference('#reader', {
    url: '/openapi.json',
    customFetch: send,
    authentication: {
      securitySchemes: {
        attemptToken: { value: EXAMPLE.attemptToken },
        bearer: { token: EXAMPLE_API_TOKEN },
        clientKey: { token: 'mfk_test_simulator' },
      },
    },
    defaultOpenAllTags: true,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    // Otherwise the reader would offer services of its maker, on other hosts.
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  });
  document.getElementById('loading').remove();
})();
`;
