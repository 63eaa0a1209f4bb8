import type { Locale } from '../values/locale.ts';

interface CurlLogin {
  /** The address of the API. */
  readonly base: string;
  readonly nationalId: string;
  /** The language of the answers. */
  readonly locale: Locale;
}

/**
 * Three shell lines that do a whole login of each flow: start both, complete both, exchange both.
 * They need only grep and any version of curl (`--json` came with 7.82), because people run them
 * before they have installed anything.
 */
export function curlLines({ base, nationalId, locale }: CurlLogin): readonly string[] {
  const start = (body: string) => `$(curl -s -H "$J" ${base}/start -d '${body}')`;
  const web = start(`{"locale":"${locale}"}`);
  const phone = start(`{"national_id":"${nationalId}","locale":"${locale}"}`);
  const id = `id() { echo "$1" | grep -oE '[0-9a-f-]{36}' | head -1; }`;
  const token = `token() { echo "$1" | grep -oE '[A-Za-z0-9_-]{64}' | head -1; }`;
  const callback = `{\\"state\\":\\"$(id "$WEB")\\",\\"auto_complete\\":true}`;
  const completeMfa = `{\\"attempt_id\\":\\"$(id "$PHONE")\\"}`;
  const exchange = `{\\"attempt_token\\":\\"$(token "$A")\\",\\"device_name\\":\\"laptop\\"}`;
  return [
    `J='Content-Type: application/json'; WEB=${web}; PHONE=${phone}; ${id}; ${token}; echo "$WEB"; echo "$PHONE"`,
    `curl -s -H "$J" ${base}/callback -d "${callback}"; echo; ` +
      `curl -s -H "$J" ${base}/complete-mfa -d "${completeMfa}"; echo`,
    `for A in "$WEB" "$PHONE"; do curl -s -H "$J" ${base}/token/$(id "$A") -d "${exchange}"; echo; done`,
  ];
}
